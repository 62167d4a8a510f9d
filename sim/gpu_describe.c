/* tilesim gpu describe: what the simulator has to know of a device, measured. */
#include <string.h>

#include "sim/gpu.h"
#include "sim/machine.h"
#include "sim/output.h"
#include "sim/refuse.h"

/* Dense FLOP per clock and SM or CU that the vendor publishes for a target: they can't be
 * asked for. 0 where it publishes none. */
struct rates {
	const char *target;
	int bf16, fp16, fp8, tf32, fp32;
	const char *source;
};

static const struct rates rates[] = {
	{"sm_80", 2048, 2048, 0, 1024, 128, "A100 white paper, table 4"},
	{"sm_90", 4096, 4096, 8192, 2048, 256,
		"H100 data sheet: dense peak / SMs / the clock it is computed at"},
	{"sm_100", 8192, 8192, 16384, 0, 0, "B200 dense peak / SMs / the clock it is computed at"},
	{"gfx90a", 1024, 1024, 0, 0, 256, "AMD CDNA 2 white paper, table 1"},
	{"gfx942", 2048, 2048, 4096, 1024, 256, "AMD CDNA 3 white paper, table 1"},
	{"gfx950", 4096, 4096, 8192, 0, 256, "AMD CDNA 4 white paper, table 1"},
};

struct figures {
	struct ts_gpu_map map;
	struct ts_latency alone, shared, apart; /* claims by one CTA, by all on one counter, by all
						   on one each */
	uint32_t *wave; /* the SM or CU of each CTA of a kernel without clusters */
};

/* Counters lie in lines, and lines are near or far from an SM: several are tried. */
enum { CLAIMS = 4096, LINE_WORDS = 32, LINES = 64, WARM_UP = 8 };

static bool measure_claims(struct figures *f, struct ts_prober *p, GError **error)
{
	struct ts_claims each = {p->gpu.is.units, LINE_WORDS, CLAIMS, 0};
	struct ts_claims one = {p->gpu.is.units, 0, CLAIMS, 0};
	struct ts_claims alone = {1, 0, CLAIMS, 0};
	struct ts_latency ignored = {0};

	/* The first launches bring the clock up. */
	for (int i = 0; i < WARM_UP; i++)
		if (!ts_prober_latency(p, &each, NULL, &ignored, error))
			return false;
	for (uint32_t i = 0; i < LINES; i++) {
		alone.first = i * LINE_WORDS;
		if (!ts_prober_latency(p, &alone, NULL, &f->alone, error))
			return false;
	}
	return ts_prober_latency(p, &one, NULL, &f->shared, error) &&
		ts_prober_latency(p, &each, f->wave, &f->apart, error);
}

static bool measure(struct figures *f, struct ts_prober *p, GError **error)
{
	f->wave = g_new0(uint32_t, p->gpu.is.units);
	return measure_claims(f, p, error) && ts_gpu_map_make(&f->map, p, error);
}

static void put_claims(GString *out, const char *who, const struct ts_latency *l)
{
	g_string_append_printf(out,
		"claims       %s: %.0f ns in the mean (%.0f cycles), from %.0f to %.0f ns\n", who,
		l->ns / l->ctas, l->cycles / l->ctas, l->least_ns, l->most_ns);
}

static void put_wave(
	GString *out, const char *who, const char *unit, const uint32_t *wave, uint32_t count)
{
	g_string_append_printf(
		out, "\nfirst wave   of a kernel %s: CTA 0, 1, 2, ... on %s", who, unit);
	for (uint32_t i = 0; i < count; i++)
		g_string_append_printf(out, "%s%u", i % 22 == 0 ? "\n             " : " ", wave[i]);
}

static void put_clusters(
	GString *out, const struct figures *f, const char *group, const struct ts_device *builtin)
{
	g_string_append_printf(
		out, "\n%-8s %9s %6s %5ss' sizes", "cluster", "resident", "CTAs", group);
	if (builtin != NULL)
		g_string_append_printf(out, " %9s", builtin->id);
	for (uint32_t ctas = 1; ctas <= TS_GPU_CLUSTER_MAX; ctas++) {
		if (ctas > 1 && f->map.max_cluster == 1)
			break;
		g_string_append_printf(out, "\n%-8u %9u %6u %12u", ctas, f->map.resident[ctas],
			f->map.resident[ctas] * ctas, ts_gpu_map_fit(&f->map, ctas));
		if (builtin != NULL)
			g_string_append_printf(out, " %9u", ts_machine_residency(builtin, ctas));
	}
	g_string_append(out, "\n");
}

static char *sizes_text(const struct ts_gpu_map *map)
{
	GString *out = g_string_new(NULL);

	for (uint32_t i = 0; i < map->groups; i++)
		g_string_append_printf(out, "%s%u", i == 0 ? "" : ";", map->sizes[i]);
	return g_string_free(out, FALSE);
}

static double bandwidth_gbps(const struct ts_backend_properties *is)
{
	return 1.0 * is->memory_rate * is->memory_clock_khz * is->memory_bits / 8e6;
}

static void report(const struct figures *f, const struct ts_prober *p)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *sizes = sizes_text(&f->map);
	g_autofree char *all = g_strdup_printf("%u CTAs on one counter", p->gpu.is.units);
	g_autofree char *own = g_strdup_printf("%u CTAs on a counter each", p->gpu.is.units);
	const struct ts_backend_properties *is = &p->gpu.is;
	const char *unit = p->gpu.ops->unit, *group = p->gpu.ops->group;
	struct ts_device *builtin = ts_device_find(is->name, is->units);

	g_string_append_printf(out, "device       %s, %s\n", is->name, is->about);
	g_string_append_printf(
		out, "%ss          %u in %ss of %s\n", unit, f->map.units, group, sizes);
	if (f->map.odd > 0)
		g_string_append_printf(out,
			"             which does not explain the residency of clusters of %u\n",
			f->map.odd);
	g_string_append_printf(out, "clock        %.0f MHz at most", is->clock_khz / 1e3);
	if (f->alone.cycles > 0)
		g_string_append_printf(
			out, ", %.0f MHz while claiming", 1e3 * f->alone.cycles / f->alone.ns);
	g_string_append(out, "\n");
	g_string_append_printf(out, "memory       L2 %u bytes; %.0f GB/s by its clock and width\n",
		is->l2_bytes, bandwidth_gbps(is));
	put_claims(out, "one CTA alone, on several counters", &f->alone);
	put_claims(out, all, &f->shared);
	put_claims(out, own, &f->apart);
	g_string_append_printf(out,
		"residency    of CTAs with %u threads and %u bytes of shared memory\n",
		p->cta.threads, p->cta.shared);
	put_clusters(out, f, group, builtin);
	put_wave(out, "without clusters", unit, f->wave, f->map.units);
	if (is->max_cluster > 1)
		put_wave(out, "that uses clusters", unit, f->map.wave, f->map.units);
	g_print("%s\n", out->str);
	ts_device_free(builtin);
}

static void put_key(GKeyFile *file, const char *key, const char *source, double value)
{
	g_autofree char *text = g_strdup_printf("%.10g", value);

	if (value <= 0)
		return;
	g_key_file_set_string(file, "device", key, text);
	g_key_file_set_string(file, "sources", key, source);
}

static void put_rates(GKeyFile *file, const char *target)
{
	for (size_t i = 0; i < G_N_ELEMENTS(rates); i++) {
		const struct rates *r = &rates[i];

		if (strcmp(r->target, target) != 0)
			continue;
		put_key(file, "flops_bf16", r->source, r->bf16);
		put_key(file, "flops_fp16", r->source, r->fp16);
		put_key(file, "flops_fp8", r->source, r->fp8);
		put_key(file, "flops_tf32", r->source, r->tf32);
		put_key(file, "flops_fp32", r->source, r->fp32);
	}
}

static void put_gpcs(GKeyFile *file, const struct figures *f, const char *here)
{
	g_autofree char *told = g_strdup_printf("%s: reported by the driver", here);
	g_autofree char *found = g_strdup_printf("%s: SMs seen in one cluster", here);
	g_autofree char *sizes = sizes_text(&f->map);

	put_key(file, "sms", told, f->map.units);
	if (f->map.odd > 0)
		return;
	g_key_file_set_string(file, "device", "gpcs", sizes);
	g_key_file_set_string(file, "sources", "gpcs", found);
}

static bool put_xcds(GKeyFile *file, const struct figures *f, const char *here, GError **error)
{
	g_autofree char *sizes = sizes_text(&f->map);
	g_autofree char *found = g_strdup_printf("%s: XCDs that CTAs ran on", here);
	g_autofree char *counted = g_strdup_printf("%s: CUs that CTAs ran on", here);

	for (uint32_t i = 1; i < f->map.groups; i++)
		if (f->map.sizes[i] != f->map.sizes[0])
			return ts_refuse(error,
				"XCDs of %s CUs: a device file has one number for all of them",
				sizes);
	put_key(file, "xcds", found, f->map.groups);
	put_key(file, "cus_per_xcd", counted, f->map.sizes[0]);
	return true;
}

static bool write_file(
	const struct figures *f, const struct ts_prober *p, const char *path, GError **error)
{
	const struct ts_backend_properties *is = &p->gpu.is;
	g_autoptr(GKeyFile) file = g_key_file_new();
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();
	g_autofree char *date = g_date_time_format(now, "%Y-%m-%d");
	g_autofree char *here = g_strdup_printf("measured on this GPU, %s", date);
	g_autofree char *told = g_strdup_printf("%s: reported by the driver", here);
	g_autofree char *fits = g_strdup_printf("%s: the largest of which one is resident", here);
	g_autofree char *memory =
		g_strdup_printf("%s: reported clock x width x %u", here, is->memory_rate);
	g_autofree char *claims = g_strdup_printf("%s: mean of dependent claims from one counter "
						  "by %u CTAs at once; one alone: %.0f ns",
		here, f->map.units, f->alone.ns / f->alone.ctas);
	g_autofree char *text = NULL;
	struct ts_output o = {0};

	g_key_file_set_string(file, "device", "name", p->gpu.is.name);
	g_key_file_set_string(file, "device", "vendor", p->gpu.ops->vendor);
	if (strcmp(p->gpu.ops->vendor, "amd") != 0)
		put_gpcs(file, f, here);
	else if (!put_xcds(file, f, here, error))
		return false;
	put_key(file, "max_cluster", fits, f->map.max_cluster);
	put_key(file, "clock_mhz", told, is->clock_khz / 1e3);
	put_rates(file, is->target);
	put_key(file, "l2_bytes", told, is->l2_bytes);
	put_key(file, "dram_gbps", memory, bandwidth_gbps(is));
	put_key(file, "claim_ns", claims, (double)(int)(f->shared.ns / f->shared.ctas + 0.5));
	text = g_key_file_to_data(file, NULL, NULL);
	if (!ts_output_open(&o, path, error))
		return false;
	fputs(text, o.file);
	return ts_output_commit(&o, error);
}

static int describe(const struct ts_backend_ops *ops, const struct ts_prober_cta *cta,
	const char *path, GError **error)
{
	g_autoptr(GError) cause = NULL;
	struct figures f = {0};
	struct ts_prober p;
	int code = TS_EXIT_OK;

	if (!ts_prober_open(&p, ops, cta, &cause)) {
		code = ts_gpu_exit(cause);
	} else {
		if (measure(&f, &p, &cause)) {
			report(&f, &p);
			if (path != NULL && write_file(&f, &p, path, &cause))
				g_print("written      %s\n", path);
		}
		if (cause != NULL)
			code = ts_gpu_exit(cause);
		ts_gpu_map_finish(&f.map);
		g_free(f.wave);
		ts_prober_close(&p);
	}
	if (cause != NULL)
		g_propagate_error(error, g_steal_pointer(&cause));
	return code;
}

/* What the CPU takes for a kernel says nothing of a GPU. */
static bool check_measurable(const struct ts_backend_ops *ops, GError **error)
{
	return ops == NULL || !ops->only_by_name ||
		ts_refuse(error,
			"--backend %s: its times are no GPU's; gpu probe, gemm, release, verify "
			"and bench run there",
			ops->name);
}

int ts_gpu_describe_command(int argc, char **argv, GError **error)
{
	g_autofree char *path = NULL;
	g_autofree char *backend = NULL;
	g_autofree char *threads = NULL;
	g_autofree char *shared_kb = NULL;
	g_autoptr(GError) cause = NULL;
	const struct ts_backend_ops *ops;
	struct ts_prober_cta cta;
	const GOptionEntry entries[] = {{"output", 'o', 0, G_OPTION_ARG_FILENAME, &path,
						"write a device file for --device FILE", "FILE"},
		{"backend", 0, 0, G_OPTION_ARG_STRING, &backend, ts_gpu_backend_help, "NAME"},
		{"threads", 0, 0, G_OPTION_ARG_STRING, &threads,
			"threads of a CTA, of which one works (default 256)", "N"},
		{"shared-kb", 0, 0, G_OPTION_ARG_STRING, &shared_kb,
			"shared memory of a CTA (default 200, so that one fits on an SM or CU)",
			"KIB"},
		{0}};
	g_autoptr(GOptionContext) context = g_option_context_new("- gpu describe");

	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, &argc, &argv, &cause)) {
		ts_refuse(error, "%s; --help lists the options", cause->message);
		return TS_EXIT_USAGE;
	}
	if (argc > 1) {
		ts_refuse(error, "'%s' is not an option; --help lists them", argv[1]);
		return TS_EXIT_USAGE;
	}
	if (!ts_gpu_backend(backend, &ops, error) || !check_measurable(ops, error) ||
		!ts_gpu_cta(threads, shared_kb, &cta, error) || !ts_output_possible(path, error))
		return TS_EXIT_USAGE;
	return describe(ops, &cta, path, error);
}
