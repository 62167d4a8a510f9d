/* The table of schedules and projects. What projects have was read in their code; what there is
 * here is asked of the registry. */
#include "sim/projects.h"

#include <string.h>

#include "kernels/backend.h"
#include "policies/all.h"
#include "sim/report.h"

enum { PROJECTS = 19 };

static const struct {
	const char *name, *meaning;
} projects[PROJECTS] = {
	{"CU", "CUTLASS"},
	{"TL", "TileLang"},
	{"TB", "tritonBLAS"},
	{"HK", "HipKittens"},
	{"TK", "ThunderKittens"},
	{"DG", "DeepGEMM"},
	{"QK", "QuACK"},
	{"FA", "FlashAttention"},
	{"FC", "fast.cu"},
	{"CK", "Composable Kernel"},
	{"AI", "aiter"},
	{"RT", "Triton"},
	{"MJ", "Modular"},
	{"FI", "FlashInfer"},
	{"HB", "hipBLASLt"},
	{"PT", "Primus-Turbo"},
	{"FX", "Flux, Triton-distributed"},
	{"TE", "Transformer Engine"},
	{"IR", "IRIS"},
};

/* In `cells` a project ships it (Y), has it as an example (o), is said to have it (r), or not. */
static const struct {
	const char *schedule;
	const char *cells;
	const char *policy; /* here; NULL: any */
	const char *ours;   /* how it is asked for, beside the policy */
	char kernels;       /* which take it: p, the probe only; -, none; 0, the GEMM too */
} rows[] = {
	{"row and column, data-parallel", "YYYYY-YYYYYYYYYY---", "data-parallel",
		"--order row, column"},
	{"grouped (GROUP_M)", "-oYYYY----YYYYrrY-Y", NULL, "--order grouped-m, grouped-n"},
	{"power-of-two panel", "Y------------Y--Y--", NULL, "--order cutlass, cutlass-2"},
	{"exact panel and clusters", "-Y----Y------------", NULL, "--order grouped-n --cluster"},
	{"pairs for multicast", "-----Y-------------", NULL, "--order paired-m, paired-n"},
	{"snake", "-Y--Y-Y-----Y------", NULL, "--order snake-m, snake-n, quack"},
	{"in-place swizzle", "Y-----------Y------", NULL, "--order inplace-m, inplace-n"},
	{"Hilbert", "--------Y----------", NULL, "--order hilbert, hilbert-clipped"},
	{"Morton", "-------------------", NULL, "--order morton"},
	{"static persistent stride", "YYYoYYYYYYYYYYYYY-Y", "persistent", ""},
	{"cluster launch control", "Yo--Y-YY---rY------", "clc", "", '-'},
	{"one software counter", "--Y---YY--Y---YY---", "worksteal", "--mode global"},
	{"counters per XCD", "--Y-----------YY---", "worksteal", "--mode slots"},
	{"own counter, then global", "--o------------Y---", "worksteal", "--mode hierarchical"},
	{"stealing from other XCDs", "--------------Y----", "worksteal", "--mode steal"},
	{"stream-K", "YoYo-----YYo--Y-Y--", "stream-k", ""},
	{"split-K", "Yo----YY-YYYrYr----", "split-k", ""},
	{"XCD remap, balanced", "--Y------YY---rr---", NULL, "--remap chiplet"},
	{"XCD remap, floor", "---o-------Y------Y", NULL, "--remap chiplet, if XCDs divide"},
	{"XCD remap, chunked", "--YY------Y---r----", NULL, "--remap chunked"},
	{"grouped GEMM, MoE", "Yo--oYY--YYorYrYY--", NULL, "--groups"},
	{"attention, longest first", "o------Y--YY-Y-----", NULL,
		"--shape causal --row-order descending", 'p'},
	{"triangles", "Y-----Y------------", NULL, "--shape triangle", 'p'},
	{"heads by XCD", "----------Y--------", NULL, "--batch --remap chiplet"},
	{"cluster tails", "YY--YYYYY--oYY-----", NULL, "--cluster"},
	{"rank-rotated all-gather", "Y---Y-Y---------YY-", NULL,
		"--collective all-gather --row-order rank"},
};

static bool is_registered(const char *policy)
{
	bool found = policy == NULL;

	for (int i = 0; i < TS_POLICIES && !found; i++)
		found = strcmp(ts_policy((enum ts_policy_id)i).name, policy) == 0;
	return found;
}

static char *ours_text(size_t row)
{
	if (!is_registered(rows[row].policy))
		return g_strdup("-");
	if (rows[row].policy == NULL)
		return g_strdup(rows[row].ours);
	return g_strdup_printf("--policy %s%s%s", rows[row].policy,
		rows[row].ours[0] != '\0' ? " " : "", rows[row].ours);
}

/* Column `i` of where ours run; NULL past the last one. */
static const char *place_name(size_t i)
{
	static const char *const first[] = {"simulated", "verified"};

	if (i < G_N_ELEMENTS(first))
		return first[i];
	i -= G_N_ELEMENTS(first);
	return ts_backends[i] == NULL ? NULL : ts_backends[i]->name;
}

/* Does it run in column `i` of those? */
static char place_cell(size_t row, size_t i)
{
	if (!is_registered(rows[row].policy))
		return '-';
	return i < 2 || rows[row].kernels == 0 ? 'Y' : rows[row].kernels;
}

static void print_text(void)
{
	g_print("%-30s", "");
	for (int i = 0; i < PROJECTS; i++)
		g_print(" %s", projects[i].name);
	for (size_t i = 0; place_name(i) != NULL; i++)
		g_print("%s%s", i == 0 ? " | " : " ", place_name(i));
	g_print("  here\n");
	for (size_t row = 0; row < G_N_ELEMENTS(rows); row++) {
		g_autofree char *ours = ours_text(row);

		g_print("%-30s", rows[row].schedule);
		for (int i = 0; i < PROJECTS; i++)
			g_print("  %c", rows[row].cells[i] == '-' ? '.' : rows[row].cells[i]);
		for (size_t i = 0; place_name(i) != NULL; i++)
			g_print("%s%-*c", i == 0 ? " | " : " ", (int)strlen(place_name(i)),
				place_cell(row, i) == '-' ? '.' : place_cell(row, i));
		g_print("  %s\n", ours);
	}
	g_print("\nY ships it, o has it as an example, r by its name only (code not read).\n"
		"Behind the bar: simulated, verified, and the backends of `tilesim gpu`: Y in the "
		"GEMM, p in the probe only.\n");
	for (int i = 0; i < PROJECTS; i++)
		g_print("%s %s%s", projects[i].name, projects[i].meaning,
			i + 1 < PROJECTS ? ", " : ".\n");
}

static void print_json(void)
{
	JsonBuilder *b = json_builder_new();
	g_autofree char *text = NULL;

	json_builder_begin_array(b);
	for (size_t row = 0; row < G_N_ELEMENTS(rows); row++) {
		g_autofree char *ours = ours_text(row);

		json_builder_begin_object(b);
		ts_json_text_member(b, "schedule", rows[row].schedule);
		for (int i = 0; i < PROJECTS; i++) {
			const char cell[] = {rows[row].cells[i], '\0'};

			ts_json_text_member(b, projects[i].meaning, cell);
		}
		ts_json_text_member(b, "here", ours);
		for (size_t i = 0; place_name(i) != NULL; i++) {
			const char cell[] = {place_cell(row, i), '\0'};

			ts_json_text_member(b, place_name(i), cell);
		}
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
	text = ts_json_text(b);
	g_print("%s", text);
}

void ts_projects_print(bool json)
{
	if (json)
		print_json();
	else
		print_text();
}
