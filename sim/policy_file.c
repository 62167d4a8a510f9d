/* Compile, load, and guard a policy file. */
#include "sim/policy_file.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/output.h"
#include "sim/refuse.h"

enum { STUCK_SECONDS = 5, PATIENCE_US = 200000, STACK_BYTES = 1 << 16 };

/* The file whose code runs: its functions as loaded, and its name. */
struct loaded {
	struct ts_rules rules;
	char name[256];
};

struct ts_policy_file {
	void *library;
	struct ts_rules rules;
	struct loaded before; /* what it takes the place of until it is freed */
};

/* What the guards need to know. Policies are plain functions, so these have nowhere else to look.
 */
static struct loaded loaded;
static _Atomic uint64_t entered, left;

static _Thread_local const char *_Atomic noted;

static const char exported[] =
	"#include <tilesim/rules.h>\n"
	"#include \"%s\"\n"
	"const unsigned ts_sizes[4] = {sizeof(struct ts_plan), sizeof(struct ts_worker),\n"
	"	sizeof(struct ts_step), sizeof(struct ts_rules)};\n"
	"void ts_export(struct ts_rules *ret_rules);\n"
	"void ts_export(struct ts_rules *ret_rules)\n"
	"{\n"
	"	*ret_rules = ts_user_rules();\n"
	"}\n";

void ts_policy_file_note(const char *text)
{
	atomic_store(&noted, text);
}

/* Only what may be called in a signal handler. */
static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

static void end_program(const char *what, int code)
{
	const char *text = atomic_load(&noted);

	say("tilesim: policy file ");
	say(loaded.name);
	say(what);
	if (text != NULL) {
		say("; this shows it again: ");
		say(text);
	}
	say("\n");
	ts_output_abandon();
	/* A sanitizer that has something to say at the exit may abort() in there. */
	signal(SIGABRT, SIG_DFL);
	_exit(code);
}

static void on_trap(int number)
{
	if (number == SIGABRT)
		end_program(": abort(), or an assertion that failed", 1);
	if (number == SIGFPE)
		end_program(": division by zero", 1);
	if (number == SIGSEGV || number == SIGBUS)
		end_program(": access to memory that is not there, or a recursion without end", 1);
	end_program(": an integer overflows, or a shift or an index is out of range", 1);
}

/* Ends the program when all calls that are under way have been for too long. */
static void *watch(void *unused)
{
	uint64_t seen = 0;
	int64_t since = g_get_monotonic_time();

	(void)unused;
	for (;;) {
		uint64_t done = atomic_load(&left);

		if (done != seen || atomic_load(&entered) == done)
			since = g_get_monotonic_time();
		seen = done;
		if (g_get_monotonic_time() - since > STUCK_SECONDS * G_USEC_PER_SEC)
			end_program(" has not returned from one call for 5 seconds: is there an "
				    "endless loop in it?",
				1);
		usleep(PATIENCE_US);
	}
	return NULL;
}

/* A policy file that calls exit() would look like a success. */
static void on_exit_inside(void)
{
	if (atomic_load(&entered) != atomic_load(&left))
		end_program(": a policy must not call exit()", 1);
}

static bool same_step(const struct ts_step *a, const struct ts_step *b)
{
	return a->act == b->act && a->m == b->m && a->n == b->n && a->k_begin == b->k_begin &&
		a->k_end == b->k_end && a->counter == b->counter && a->value == b->value &&
		a->slot == b->slot && a->parts == b->parts && a->owns == b->owns;
}

/* For this thread a stack of its own to be told of the end of the other one on, unless a sanitizer
 * has given it one. */
static void lend_stack(void)
{
	static _Thread_local char room[STACK_BYTES];
	static _Thread_local bool lent;
	stack_t stack = {.ss_sp = room, .ss_size = sizeof room}, before;

	if (lent)
		return;
	lent = true;
	if (sigaltstack(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE) != 0)
		sigaltstack(&stack, NULL);
}

/* Around each call into the file. */
static void enter(void)
{
	lend_stack();
	atomic_fetch_add_explicit(&entered, 1, memory_order_relaxed);
}

static void leave(void)
{
	atomic_fetch_add_explicit(&left, 1, memory_order_relaxed);
}

/* Asks twice: the contract is a pure function of its arguments, and all checks build on that. */
static struct ts_step guarded_next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	const struct ts_plan before = *p;
	struct ts_worker twin = *w;
	struct ts_step s, again;

	enter();
	s = loaded.rules.next(p, w, answer);
	again = loaded.rules.next(p, &twin, answer);
	if (!same_step(&s, &again) || memcmp(w, &twin, sizeof twin) != 0)
		end_program(": next() answers one question in two ways; it must be a pure function "
			    "without static variables",
			1);
	if (memcmp(p, &before, sizeof before) != 0)
		end_program(": next() changed the plan, which is read-only", 1);
	leave();
	return s;
}

static struct ts_tile guarded_cta_tile(
	const struct ts_plan *p, const struct ts_step *s, uint32_t rank)
{
	struct ts_tile t;

	enter();
	t = loaded.rules.cta_tile(p, s, rank);
	leave();
	return t;
}

/* What is about the device or the collective is not the policy's to change, and no schedule has
 * more partial sums than k iterations. */
static void check_plan(const struct ts_plan *p, const struct ts_plan *before)
{
	uint64_t most = (uint64_t)before->items * MAX(before->depth, 1);
	g_autofree char *text = NULL;

	if (p->domains != before->domains)
		end_program(": plan() changes the number of domains, which is the device's", 1);
	if (p->collective != before->collective || p->chunks != before->chunks ||
		p->chunk_rows.by != before->chunk_rows.by)
		end_program(": plan() changes the chunks of the collective", 1);
	if (p->launches > 1 || (p->launches == 1 && p->counters == 0))
		end_program(
			": plan() sets launches, which is 0 or 1, and then counts in counter 0", 1);
	if (p->workspace <= most)
		return;
	text = g_strdup_printf(
		": plan() asks for a workspace of %u slots; a slot is the partial "
		"sum of one k iteration or more, of which there are %" G_GUINT64_FORMAT,
		p->workspace, most);
	end_program(text, 1);
}

static enum ts_status guarded_plan(struct ts_plan *p, const struct ts_spec *spec)
{
	const struct ts_plan before = *p;
	enum ts_status status;

	enter();
	status = loaded.rules.policy.plan(p, spec);
	leave();
	if ((uint32_t)status >= TS_STATUSES)
		end_program(": plan() returns something else than an enum ts_status", 1);
	if (status == TS_OK)
		check_plan(p, &before);
	return status;
}

static uint32_t guarded_counter_items(const struct ts_plan *p, uint32_t counter)
{
	uint32_t items;

	enter();
	items = loaded.rules.policy.counter_items(p, counter);
	leave();
	return items;
}

static enum ts_promise guarded_promise(const struct ts_plan *p)
{
	enum ts_promise promise;

	enter();
	promise = loaded.rules.policy.promise(p);
	leave();
	return promise;
}

/* Writes the public headers where <tilesim/...> finds them. */
static bool write_headers(const char *folder, GError **error)
{
	g_auto(GStrv) names = ts_resource_names("policies");
	g_autofree char *inside = g_build_filename(folder, "tilesim", NULL);

	if (g_mkdir(inside, 0700) != 0)
		return ts_refuse(error, "%s cannot be made", inside);
	for (size_t i = 0; names[i] != NULL; i++) {
		g_autofree char *text = ts_resource("policies", names[i], ".h");
		g_autofree char *base = g_strconcat(names[i], ".h", NULL);
		g_autofree char *path = g_build_filename(inside, base, NULL);

		if (!g_file_set_contents(path, text, -1, error))
			return false;
	}
	return true;
}

static char *find_compiler(GError **error)
{
	const char *names[] = {g_getenv("CC"), "cc", "gcc", "clang"};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		char *path = names[i] == NULL ? NULL : g_find_program_in_path(names[i]);

		if (path != NULL)
			return path;
	}
	ts_refuse(error, "--policy-file needs a C compiler; install gcc or clang, or set CC");
	return NULL;
}

/* Compiles folder/policy.c to folder/policy.so. */
static bool compile(const char *folder, const char *path, GError **error)
{
	g_autofree char *compiler = find_compiler(error);
	g_autofree char *source = g_build_filename(folder, "policy.c", NULL);
	g_autofree char *library = g_build_filename(folder, "policy.so", NULL);
	g_autofree char *include = g_strconcat("-I", folder, NULL);
	g_autofree char *message = NULL;
	const char *command[] = {compiler, "-std=c11", "-O2", "-g", "-shared", "-fPIC", "-Wall",
		"-fsanitize=signed-integer-overflow,shift,bounds",
		"-fsanitize-undefined-trap-on-error", include, "-o", library, source, NULL};
	int status = 0;

	if (compiler == NULL)
		return false;
	/* Without a folder to go to and descriptors to close GLib takes posix_spawn(), which runs
	 * nothing of ours in the child: a lock of the allocator or of a sanitizer that another
	 * thread holds would never be given back there. */
	if (!g_spawn_sync(NULL, (char **)(gpointer)command, NULL,
		    G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_LEAVE_DESCRIPTORS_OPEN, NULL, NULL, NULL,
		    &message, &status, error))
		return false;
	if (g_spawn_check_wait_status(status, NULL))
		return true;
	/* Not ts_refuse(): the compiler's message has lines. */
	g_set_error(error, ts_refusal_quark(), 0,
		"policy file %s does not compile; mend what %s says:\n%s", path, compiler,
		g_strchomp(message));
	return false;
}

/* The folder is not needed once the library is open, and a trap in there would leave it behind. */
static bool load(struct ts_policy_file *f, const char *folder, const char *path, GError **error)
{
	g_autofree char *library = g_build_filename(folder, "policy.so", NULL);
	const unsigned wanted[4] = {sizeof(struct ts_plan), sizeof(struct ts_worker),
		sizeof(struct ts_step), sizeof(struct ts_rules)};
	const unsigned *sizes;
	void *symbol;
	void (*export)(struct ts_rules *);

	f->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	ts_output_remove_folder(folder);
	if (f->library == NULL)
		return ts_refuse(error, "policy file %s cannot be loaded: %s", path, dlerror());
	sizes = dlsym(f->library, "ts_sizes");
	symbol = dlsym(f->library, "ts_export");
	if (sizes == NULL || symbol == NULL || memcmp(sizes, wanted, sizeof wanted) != 0)
		return ts_refuse(error,
			"policy file %s was compiled against other tilesim headers than this "
			"program's; include <tilesim/rules.h> and no copy of it",
			path);
	/* ISO C has no conversion from void * to a function; POSIX demands that the bits are it. */
	memcpy(&export, &symbol, sizeof export);
	enter();
	export(&loaded.rules);
	leave();
	if (loaded.rules.next == NULL || loaded.rules.cta_tile == NULL ||
		loaded.rules.policy.plan == NULL || loaded.rules.policy.promise == NULL ||
		loaded.rules.policy.name == NULL)
		return ts_refuse(error,
			"policy file %s: ts_user_rules() leaves a function out; start from "
			"ts_rules_make()",
			path);
	return true;
}

/* From here on the file's code may run. */
static void guard(const char *path)
{
	const int traps[] = {SIGILL, SIGTRAP, SIGFPE, SIGSEGV, SIGBUS, SIGABRT};
	struct sigaction action = {.sa_handler = on_trap, .sa_flags = SA_ONSTACK};
	static bool guarded;
	pthread_t watcher;

	g_strlcpy(loaded.name, path, sizeof loaded.name);
	if (guarded)
		return;
	guarded = true;
	atexit(on_exit_inside);
	for (size_t i = 0; i < G_N_ELEMENTS(traps); i++)
		sigaction(traps[i], &action, NULL);
	if (pthread_create(&watcher, NULL, watch, NULL) == 0)
		pthread_detach(watcher);
}

struct ts_policy_file *ts_policy_file_load(const char *path, GError **error)
{
	g_autofree char *absolute = g_canonicalize_filename(path, NULL);
	g_autofree char *folder = NULL;
	g_autofree char *source = NULL;
	g_autofree char *text = NULL;
	struct ts_policy_file *f = NULL;
	bool loads = false;

	if (!g_file_test(absolute, G_FILE_TEST_IS_REGULAR)) {
		ts_refuse(error, "policy file %s is not there, or is no file", path);
		return NULL;
	}
	if (strpbrk(absolute, "\"\n\\") != NULL) {
		ts_refuse(error, "policy file %s: the path must not hold quotes or backslashes",
			path);
		return NULL;
	}
	folder = ts_output_make_folder(error);
	if (folder == NULL)
		return NULL;
	source = g_build_filename(folder, "policy.c", NULL);
	text = g_strdup_printf(exported, absolute);
	f = g_new0(struct ts_policy_file, 1);
	f->before = loaded;
	if (write_headers(folder, error) && g_file_set_contents(source, text, -1, error) &&
		compile(folder, path, error)) {
		guard(path);
		loads = load(f, folder, path, error);
	}
	if (!loads) {
		ts_policy_file_free(f);
		ts_output_remove_folder(folder);
		return NULL;
	}
	f->rules = loaded.rules;
	f->rules.next = guarded_next;
	f->rules.cta_tile = guarded_cta_tile;
	f->rules.policy.plan = guarded_plan;
	f->rules.policy.promise = guarded_promise;
	if (f->rules.policy.counter_items != NULL)
		f->rules.policy.counter_items = guarded_counter_items;
	return f;
}

void ts_policy_file_free(struct ts_policy_file *f)
{
	if (f == NULL)
		return;
	loaded = f->before;
	if (f->library != NULL)
		dlclose(f->library);
	g_free(f);
}

const struct ts_rules *ts_policy_file_rules(const struct ts_policy_file *f)
{
	return f == NULL ? NULL : &f->rules;
}
