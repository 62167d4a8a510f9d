/* What users write in files and options about devices, shapes and scenarios: good and bad. */
#include "sim/device.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "sim/refuse.h"
#include "sim/scenario.h"
#include "sim/shapes.h"

/* Vendors' dense bf16 peaks with fp32 accumulate, in TFLOP/s. */
static const struct {
	const char *id;
	double tflops;
} peaks[] = {
	{"a100", 312},         /* A100 data sheet */
	{"b200", 2250},        /* HGX B200 data sheet: 36 PFLOP/s sparse for 8 GPUs */
	{"h100", 989.4},       /* H100 data sheet: 1979 sparse */
	{"h200", 989.4},       /* H200 data sheet: 1979 sparse */
	{"l40s", 362.05},      /* L40S data sheet */
	{"mi210", 181.0},      /* MI210 data sheet */
	{"mi250x-gcd", 191.5}, /* MI250X data sheet: 383.0 for two dies */
	{"mi300x", 1307.4},    /* MI300X data sheet */
	{"mi325x", 1307.4},    /* MI325X data sheet */
	{"mi350x", 2306.9},    /* MI350X data sheet */
	{"mi355x", 2516.6},    /* MI355X data sheet */
	{"rtx5090", 209.5},    /* RTX Blackwell white paper, appendix A */
};

static void test_peaks(void)
{
	g_auto(GStrv) names = ts_resource_names("devices");

	g_assert_cmpuint(g_strv_length(names), ==, G_N_ELEMENTS(peaks));
	for (size_t i = 0; i < G_N_ELEMENTS(peaks); i++) {
		g_autoptr(GError) error = NULL;
		struct ts_device *d = ts_device_load(peaks[i].id, &error);
		double tflops;

		g_assert_no_error(error);
		tflops = d->flops[TS_BF16] * d->units * d->clock_mhz / 1e6;
		if (fabs(tflops / peaks[i].tflops - 1) > 0.02)
			g_error("%s: %g TFLOP/s, the vendor says %g", peaks[i].id, tflops,
				peaks[i].tflops);
		ts_device_free(d);
	}
}

/* Each number says where it is from, and nothing is said of a number that is not there. */
static void test_sources(void)
{
	g_auto(GStrv) names = ts_resource_names("devices");

	for (size_t i = 0; names[i] != NULL; i++) {
		g_autoptr(GError) error = NULL;
		struct ts_device *d = ts_device_load(names[i], &error);
		g_auto(GStrv) values = NULL;
		g_auto(GStrv) sources = NULL;
		uint32_t units = 0;

		g_assert_no_error(error);
		values = g_key_file_get_keys(d->file, "device", NULL, NULL);
		sources = g_key_file_get_keys(d->file, "sources", NULL, &error);
		g_assert_no_error(error);
		for (size_t j = 0; values[j] != NULL; j++) {
			g_autofree char *text =
				g_key_file_get_value(d->file, "sources", values[j], NULL);

			if (strcmp(values[j], "name") != 0 && strcmp(values[j], "vendor") != 0 &&
				(text == NULL || strlen(text) < 8))
				g_error("%s: %s has no source", names[i], values[j]);
		}
		for (size_t j = 0; sources[j] != NULL; j++)
			if (!g_key_file_has_key(d->file, "device", sources[j], NULL))
				g_error("%s: a source of %s, which has no value", names[i],
					sources[j]);
		for (uint32_t g = 0; g < d->groups; g++)
			units += d->group_units[g];
		g_assert_cmpuint(units, ==, d->units);
		g_assert_cmpuint(d->xcds, ==, d->amd ? d->groups : 1);
		ts_device_free(d);
	}
}

/* Puts `text` into a file and returns its path, to be unlinked and freed. */
static char *write_file(const char *text, gssize size, const char *suffix)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *pattern = g_strconcat("tilesim-XXXXXX", suffix, NULL);
	char *path = NULL;
	int handle = g_file_open_tmp(pattern, &path, &error);

	g_assert_no_error(error);
	g_close(handle, NULL);
	g_file_set_contents(path, text, size, &error);
	g_assert_no_error(error);
	return path;
}

/* A refusal names the file and each of `parts`, on one line. */
static void assert_refused(const char *what, const GError *error, const char *parts)
{
	g_auto(GStrv) words = g_strsplit(parts, "|", -1);

	if (error == NULL)
		g_error("%s: was not refused", what);
	if (strchr(error->message, '\n') != NULL)
		g_error("%s: more than one line: %s", what, error->message);
	for (size_t i = 0; words[i] != NULL; i++)
		if (strstr(error->message, words[i]) == NULL)
			g_error("%s: '%s' does not say %s", what, error->message, words[i]);
}

static const char amd[] = "name=A vendor=amd xcds=2 cus_per_xcd=3 clock_mhz=1000 dram_gbps=100 "
			  "flops_bf16=8";
static const char nvidia[] = "name=N vendor=nvidia sms=6 gpcs=4;2 clock_mhz=1000 dram_gbps=100 "
			     "flops_bf16=8";

/* A good file with one key changed, added, or taken away. */
static const struct edit {
	const char *base, *key, *value, *refusal; /* value NULL: no such line */
} edits[] = {
	{amd, "colour", "red", "colour"},
	{amd, "FLOPS_BF16", "8", "FLOPS_BF16"},
	{amd, "name", NULL, "name|missing"},
	{amd, "vendor", NULL, "vendor|amd|nvidia"},
	{amd, "vendor", "intel", "vendor=intel|amd|nvidia"},
	{amd, "vendor", "nvidia", "xcds|vendor=nvidia"},
	{nvidia, "vendor", "amd", "sms|vendor=amd"},
	{amd, "sms", "6", "sms|vendor=amd"},
	{amd, "gpcs", "4;2", "gpcs|vendor=amd"},
	{nvidia, "xcds", "2", "xcds|vendor=nvidia"},
	{nvidia, "cus_per_xcd", "2", "cus_per_xcd|vendor=nvidia"},
	{amd, "xcds", NULL, "xcds|missing"},
	{amd, "cus_per_xcd", NULL, "cus_per_xcd|missing"},
	{nvidia, "sms", NULL, "sms|missing"},
	{amd, "clock_mhz", NULL, "clock_mhz|missing"},
	{amd, "dram_gbps", NULL, "dram_gbps|missing"},
	{amd, "xcds", "0", "xcds=0"},
	{amd, "xcds", "-1", "xcds=-1"},
	{amd, "xcds", "2.5", "xcds=2.5"},
	{amd, "xcds", "65537", "xcds=65537"},
	{amd, "xcds", "", "xcds="},
	{amd, "cus_per_xcd", "99999999999999999999", "cus_per_xcd=99999999999999999999"},
	{amd, "cus_per_xcd", "1048576", "cus_per_xcd=1048576"},
	{amd, "clock_mhz", "0", "clock_mhz=0"},
	{amd, "clock_mhz", "fast", "clock_mhz=fast"},
	{amd, "clock_mhz", "1000 MHz", "clock_mhz=1000 MHz"},
	{amd, "clock_mhz", "nan", "clock_mhz=nan"},
	{amd, "clock_mhz", "inf", "clock_mhz=inf"},
	{amd, "clock_mhz", "1e6", "clock_mhz=1e6"},
	{amd, "clock_mhz", "1,5", "clock_mhz=1,5"},
	{amd, "dram_gbps", "-5", "dram_gbps=-5"},
	{amd, "flops_bf16", "0", "flops_bf16=0"},
	{amd, "l2_bytes_per_clock", "0", "l2_bytes_per_clock=0"},
	{amd, "claim_ns", "-1", "claim_ns=-1"},
	{amd, "prologue_ns", "1e10", "prologue_ns=1e10"},
	{amd, "occupancy", "0", "occupancy=0"},
	{amd, "occupancy", "65", "occupancy=65"},
	{amd, "max_cluster", "1025", "max_cluster=1025"},
	{amd, "dispatch_chunk", "0", "dispatch_chunk=0"},
	{nvidia, "gpcs", "4;3", "gpcs|7|sms=6"},
	{nvidia, "gpcs", "4;2;0", "gpcs"},
	{nvidia, "gpcs", "4;-2;4", "gpcs"},
	{nvidia, "gpcs", "4;two", "gpcs"},
	{nvidia, "gpcs", "4;;2", "gpcs"},
	{nvidia, "gpcs", "", "gpcs"},
};

static char *edited(const struct edit *e)
{
	g_auto(GStrv) lines = g_strsplit(e->base, " ", -1);
	g_autofree char *prefix = g_strconcat(e->key, "=", NULL);
	GString *text = g_string_new("[device]\n");

	for (size_t i = 0; lines[i] != NULL; i++)
		if (!g_str_has_prefix(lines[i], prefix))
			g_string_append_printf(text, "%s\n", lines[i]);
	if (e->value != NULL)
		g_string_append_printf(text, "%s=%s\n", e->key, e->value);
	return g_string_free(text, FALSE);
}

static void test_bad_keys(void)
{
	static const struct edit good[] = {{amd, "claim_ns", "0", NULL},
		{nvidia, "gpcs", "2,4", NULL}, {nvidia, "gpcs", "2;4;", NULL},
		{nvidia, "gpcs", NULL, NULL}, {amd, "name", "ein schöner Name", NULL}};

	for (size_t i = 0; i < G_N_ELEMENTS(edits) + G_N_ELEMENTS(good); i++) {
		bool bad = i < G_N_ELEMENTS(edits);
		const struct edit *e = bad ? &edits[i] : &good[i - G_N_ELEMENTS(edits)];
		g_autofree char *text = edited(e);
		g_autofree char *path = write_file(text, -1, ".device");
		g_autoptr(GError) error = NULL;
		struct ts_device *d = ts_device_load(path, &error);

		if (bad) {
			assert_refused(text, error, e->refusal);
			assert_refused(text, error, path);
			g_assert_null(d);
		} else {
			g_assert_no_error(error);
			ts_device_free(d);
		}
		g_unlink(path);
	}
}

static void test_bad_files(void)
{
	static const struct {
		const char *text;
		gssize size;
		const char *refusal;
	} cases[] = {
		{"", 0, "[device]"},
		{"\n\n# nothing\n", -1, "[device]"},
		{"[sources]\nsms=a guess\n", -1, "[device]"},
		{"[device]\nname=a\n[calibration]\n", -1, "[calibration]"},
		{"[device]\n", -1, "name"},
		{"name=A\n", -1, "key file"},
		{"[device\nname=A\n", -1, "key file"},
		{"[device]\nname\n", -1, "key file"},
		{"{\"device\": 1}\n", -1, "key file"},
		{"name,m,n,k\na,1,2,3\n", -1, "key file"},
		{"\x7f"
		 "ELF\x02\x01\x01\x00\x00\x00\xff\xfe\x80\x81",
			14, "NUL byte"},
		{"\x89PNG\r\n\x1a\n\x00\x00", 10, "NUL byte"},
		{"[device]\nname=\xff\xfe\nvendor=amd\n", -1, "name"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = write_file(cases[i].text, cases[i].size, ".device");
		g_autoptr(GError) error = NULL;

		g_assert_null(ts_device_load(path, &error));
		assert_refused(cases[i].text, error, cases[i].refusal);
		g_unlink(path);
	}
	for (size_t i = 0; i < 3; i++) {
		static const char *const ids[] = {"mi299x", "/no/such.device", "/"};
		static const char *const refusals[] = {
			"mi299x|mi300x|.device", "/no/such.device", "/"};
		g_autoptr(GError) error = NULL;

		g_assert_null(ts_device_load(ids[i], &error));
		assert_refused(ids[i], error, refusals[i]);
	}
}

/* Drivers have names of their own. */
static void test_find(void)
{
	static const struct {
		const char *name;
		uint32_t units;
		const char *id;
	} cases[] = {{"NVIDIA H200", 132, "h200"}, {"NVIDIA H200", 0, "h200"},
		{"NVIDIA H100 80GB HBM3", 132, "h100"}, {"NVIDIA H100 80GB HBM3", 0, NULL},
		{"NVIDIA H100 PCIe", 114, NULL}, {"NVIDIA GH200 480GB", 132, NULL},
		{"NVIDIA A100-SXM4-80GB", 108, "a100"}, {"NVIDIA RTX A1000", 108, NULL},
		{"NVIDIA GeForce RTX 5090", 170, "rtx5090"}, {"AMD Instinct MI300X", 304, "mi300x"},
		{"AMD Instinct MI250X / MI250", 104, NULL}, {"llvmpipe", 0, NULL}, {"", 0, NULL}};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct ts_device *d = ts_device_find(cases[i].name, cases[i].units);

		g_assert_cmpstr(d != NULL ? d->id : NULL, ==, cases[i].id);
		ts_device_free(d);
	}
}

static void test_resize(void)
{
	static const struct {
		const char *id;
		int64_t units, xcds;
		const char *sizes, *refusal;
	} cases[] = {
		{"mi300x", 304, 8, "38 38 38 38 38 38 38 38", NULL},
		{"mi300x", 304, 1, "304", NULL},
		{"mi300x", 20, 8, "3 3 3 3 2 2 2 2", NULL},
		{"mi300x", 8, 8, "1 1 1 1 1 1 1 1", NULL},
		{"mi300x", 7, 8, NULL, "7 CU|8 XCD"},
		{"mi300x", 0, 8, NULL, "0 CU"},
		{"mi300x", -1, 8, NULL, "-1 CU"},
		{"mi300x", 1 << 21, 8, NULL, "2097152 CU"},
		{"mi300x", 304, 0, NULL, "0 XCD"},
		{"mi300x", 304, 65537, NULL, "65537 XCD"},
		/* On NVIDIA the XCDs are what policies see; GPCs stay. */
		{"h200", 132, 4, "2 2 2 2 18 8 16 16 16 16 16 18", NULL},
		{"h200", 24, 1, "2 2 2 2 2 2 2 2 2 2 2 2", NULL},
		{"a100", 100, 1, "15 15 14 14 14 14 14", NULL},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct ts_device *d = ts_device_load(cases[i].id, NULL);
		g_autoptr(GString) sizes = g_string_new(NULL);
		g_autoptr(GError) error = NULL;
		bool good = ts_device_resize(d, cases[i].units, cases[i].xcds, &error);

		g_assert_true(good == (cases[i].refusal == NULL));
		if (!good) {
			assert_refused(cases[i].id, error, cases[i].refusal);
		} else {
			for (uint32_t g = 0; g < d->groups; g++)
				g_string_append_printf(
					sizes, "%s%u", g > 0 ? " " : "", d->group_units[g]);
			g_assert_cmpstr(sizes->str, ==, cases[i].sizes);
			g_assert_cmpint(d->xcds, ==, cases[i].xcds);
			g_assert_cmpint(d->units, ==, cases[i].units);
		}
		ts_device_free(d);
	}
}

static void test_shapes(void)
{
	g_auto(GStrv) names = ts_resource_names("shapes");
	static const struct {
		const char *text;
		guint count; /* of shapes, or 0 and the refusal */
		const char *refusal;
	} cases[] = {
		{"name,m,n,k\na,1,2,3\n", 1, NULL},
		{"# c\n\nname,m,n,k\r\na , 0,2147483647, 3\r\n#\n,1,1,1", 2, NULL},
		{"", 0, "no shapes|name,m,n,k"},
		{"# only a comment\n", 0, "no shapes"},
		{"name,m,n,k\n", 0, "no shapes"},
		{"a,1,2,3\n", 0, "line 1|header name,m,n,k"},
		{"\n# c\nname,m,n\na,1,2\n", 0, "line 3|name,m,n,k"},
		{"name,m,n,k\na,1,2\n", 0, "line 2|'a,1,2'|four fields"},
		{"name,groups,n,k\na,mixtral-8x7b-t16,2,3\nb,7,0,3\n", 2, NULL},
		{"name,groups,n,k\na,nosuch,2,3\n", 0, "line 2|--groups nosuch"},
		{"name,groups,n,k\na,upto:1x2,2,3\n", 0, "line 2|'upto:1x2' must be one list"},
		{"name,groups,n,k\na,1x2x3,2,3\n", 0, "line 2|rows without n and k"},
		{"name,groups,n,k\na,1,-2,3\n", 0, "line 2|n=-2"},
		{"name,m,n,k\na,1,2,3,4\n", 0, "line 2|four fields"},
		{"name,m,n,k\na,1,2,3\n\n#\nb,1,2,\n", 0, "line 5|k="},
		{"name,m,n,k\na,-1,2,3\n", 0, "line 2|m=-1|2147483647"},
		{"name,m,n,k\na,1,2147483648,3\n", 0, "line 2|n=2147483648|2147483647"},
		{"name,m,n,k\na,1,2,2147483648\n", 0, "line 2|k=2147483648"},
		{"name,m,n,k\na,1,2,99999999999999999999\n", 0, "line 2|k=99999999999999999999"},
		{"name,m,n,k\na,1.5,2,3\n", 0, "line 2|m=1.5"},
		{"name,m,n,k\na,1e3,2,3\n", 0, "line 2|m=1e3"},
		{"name,m,n,k\na,0x10,2,3\n", 0, "line 2|m=0x10"},
		{"name,m,n,k\na,m,n,k\n", 0, "line 2|m=m"},
		{"name;m;n;k\na;1;2;3\n", 0, "line 1|name;m;n;k"},
		{"name,m,n,k\n\xff,1,2,3\n", 0, "UTF-8"},
		{"\x7f"
		 "ELF\x02",
			0, "line 1"},
	};

	g_assert_cmpuint(g_strv_length(names), ==, 12);
	for (size_t i = 0; names[i] != NULL; i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(GArray) shapes = ts_shapes_load(names[i], &error);

		g_assert_no_error(error);
		g_assert_cmpuint(shapes->len, >=, 10);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(GArray) shapes = ts_shapes_parse("f.csv", cases[i].text, &error);

		g_assert_cmpuint(shapes == NULL ? 0 : shapes->len, ==, cases[i].count);
		if (cases[i].refusal != NULL) {
			assert_refused(cases[i].text, error, cases[i].refusal);
			assert_refused(cases[i].text, error, "f.csv");
		}
	}
}

/* A scenario's units in short: x masked, digits the slow factor, h held, r released. */
static char *units_text(const struct ts_scenario *s, uint32_t count)
{
	GString *out = g_string_new(NULL);

	for (uint32_t i = 0; i < count; i++) {
		const struct ts_unit *u = &s->units[i];

		if (u->masked)
			g_string_append_c(out, 'x');
		else if (u->hold_from != u->hold_to)
			g_string_append_c(out, 'h');
		else if (u->release != UINT64_MAX)
			g_string_append_c(out, 'r');
		else
			g_string_append_printf(out, "%g", u->slow);
	}
	return g_string_free(out, FALSE);
}

/* On two XCDs of three CUs: one option, and what it does. */
static const struct {
	char option; /* of mask, slow, hold, release */
	const char *text, *units, *refusal;
} scenarios[] = {
	{'m', "xcd1", "111xxx", NULL},
	{'m', "cu0", "x11111", NULL},
	{'m', "cu1-4", "1xxxx1", NULL},
	{'m', "cu5,cu0,cu5", "x1111x", NULL},
	{'m', "any3", "xx1x11", NULL},
	{'m', "any0", "111111", NULL},
	{'m', "xcd0,any2", "xxxx11", NULL},
	{'s', "xcd0:2", "222111", NULL},
	{'s', "cu2:1", "111111", NULL},
	{'s', "cu2:1.5", "111.5111", NULL},
	{'h', "cu3@0", "111h11", NULL},
	{'h', "cu3@1.5:2", "111h11", NULL},
	{'h', "any2@0:1", "h11h11", NULL},
	{'r', "xcd1@3", "111rrr", NULL},
	{'r', "cu0@0", "r11111", NULL},
	{'m', "xcd2", NULL, "xcd2|0 to 1"},
	{'m', "gpc2", NULL, "gpc2"},
	{'m', "cu6", NULL, "cu6|0 to 5"},
	{'m', "cu3-6", NULL, "cu3-6|0 to 5"},
	{'m', "cu4-3", NULL, "cu4-3"},
	{'m', "any7", NULL, "any7|6 CU"},
	{'m', "", NULL, "empty"},
	{'m', "xcd1,", NULL, "''|xcd3"},
	{'m', "xcd", NULL, "'xcd'|any20"},
	{'m', "xcd-1", NULL, "xcd-1"},
	{'m', "cu1-", NULL, "cu1-"},
	{'m', "cu1-2-3", NULL, "cu1-2-3"},
	{'m', "CU1", NULL, "CU1"},
	{'m', "xcd99999999999999999999", NULL, "xcd99999999999999999999"},
	{'s', "xcd0", NULL, "--slow xcd0|SET:FACTOR"},
	{'s', "xcd0:", NULL, "--slow xcd0:|factor"},
	{'s', "xcd0:0.5", NULL, "0.5|from 1"},
	{'s', "xcd0:-2", NULL, "-2|from 1"},
	{'s', "xcd0:nan", NULL, "nan"},
	{'s', "xcd0:1e7", NULL, "1e7|1e6"},
	{'s', "xcd0:2:3", NULL, "xcd0:2:3"},
	{'s', "cu9:2", NULL, "cu9"},
	{'h', "cu0", NULL, "--hold cu0|SET@FROM:TO"},
	{'h', "cu0@", NULL, "cu0@"},
	{'h', "cu0@5:5", NULL, "5:5|FROM before TO"},
	{'h', "cu0@5:4", NULL, "5:4"},
	{'h', "cu0@-1", NULL, "-1"},
	{'h', "cu0@1:2:3", NULL, "1:2:3"},
	{'h', "cu0@1@2", NULL, "1@2"},
	{'h', "cu0,cu0@1e13", NULL, "1e13"},
	{'h', "@1", NULL, "empty"},
	{'r', "cu0", NULL, "--release cu0|SET@TIME"},
	{'r', "cu0@-3", NULL, "-3"},
	{'r', "cu0@soon", NULL, "soon"},
	{'r', "cu0@1:2", NULL, "1:2"},
};

static void test_scenarios(void)
{
	struct edit plain = {amd, "claim_ns", "0", NULL};
	g_autofree char *text = edited(&plain);
	g_autofree char *path = write_file(text, -1, ".device");
	struct ts_device *d = ts_device_load(path, NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(scenarios); i++) {
		char *word = g_strdup(scenarios[i].text);
		char *list[] = {word, NULL};
		struct ts_scenario_spec spec = {.seed = 1};
		struct ts_scenario s = {0};
		g_autoptr(GError) error = NULL;

		spec.mask = scenarios[i].option == 'm' ? word : NULL;
		spec.slow = scenarios[i].option == 's' ? list : NULL;
		spec.hold = scenarios[i].option == 'h' ? list : NULL;
		spec.release = scenarios[i].option == 'r' ? list : NULL;
		if (ts_scenario_make(&s, &spec, d, &error)) {
			g_autofree char *units = units_text(&s, d->units);

			g_assert_cmpstr(units, ==, scenarios[i].units);
		} else {
			assert_refused(word, error,
				scenarios[i].refusal == NULL ? "should be good"
							     : scenarios[i].refusal);
		}
		ts_scenario_finish(&s);
		g_free(word);
	}
	ts_device_free(d);
	g_unlink(path);
}

/* Options that meet on one unit, and the jitter. */
static void test_scenarios_together(void)
{
	char *slow[] = {(char[]){"xcd0:2"}, (char[]){"cu1:3"}, NULL};
	char *release[] = {(char[]){"xcd0@5"}, (char[]){"cu1@3"}, (char[]){"cu2@7"}, NULL};
	char *hold[] = {(char[]){"cu0-1@0:1"}, (char[]){"cu1@5"}, NULL};
	struct ts_device *d = ts_device_load("mi300x", NULL);
	static const double bad_jitter[] = {-1, 100, 1e9, NAN};
	struct ts_scenario_spec spec = {.slow = slow, .release = release, .jitter_percent = 12.5};
	struct ts_scenario s = {0};
	g_autoptr(GError) error = NULL;

	g_assert_true(ts_scenario_make(&s, &spec, d, &error));
	g_assert_cmpfloat(s.jitter, ==, 0.125);
	g_assert_cmpfloat(s.units[0].slow, ==, 2);
	g_assert_cmpfloat(s.units[1].slow, ==, 6);
	g_assert_cmpuint(s.units[0].release, ==, 5000000);
	g_assert_cmpuint(s.units[1].release, ==, 3000000);
	g_assert_cmpuint(s.units[2].release, ==, 5000000);
	ts_scenario_finish(&s);
	spec.hold = hold;
	g_assert_false(ts_scenario_make(&s, &spec, d, &error));
	assert_refused("held twice", error, "cu1@5|CU 1|twice");
	spec.hold = NULL;
	for (size_t i = 0; i < G_N_ELEMENTS(bad_jitter); i++) {
		g_clear_error(&error);
		spec.jitter_percent = bad_jitter[i];
		g_assert_false(ts_scenario_make(&s, &spec, d, &error));
		assert_refused("jitter", error, "--jitter|0 to less than 100");
	}
	ts_device_free(d);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/device/peaks are the vendors'", test_peaks);
	g_test_add_func("/device/every number has a source", test_sources);
	g_test_add_func("/device/bad keys are named", test_bad_keys);
	g_test_add_func("/device/bad files are refused", test_bad_files);
	g_test_add_func("/device/found by a driver's name", test_find);
	g_test_add_func("/device/other numbers of units", test_resize);
	g_test_add_func("/shapes/good and bad lines", test_shapes);
	g_test_add_func("/scenario/good and bad texts", test_scenarios);
	g_test_add_func("/scenario/texts together", test_scenarios_together);
	return g_test_run();
}
