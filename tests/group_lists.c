/* Lists of groups as text, in files and built in. */
#include "tests/group_lists.h"

#include <string.h>

#include "sim/groups.h"
#include "sim/refuse.h"

static void test_lists(void)
{
	static const struct {
		const char *text, *lists; /* with semicolons between them */
	} rows[] = {
		{"5", "5"},
		{"5,0,3", "5,0,3"},
		{"5;0,3", "5;0,3"},
		{"5x2x1,0x2x4", "5x2x1,0x2x4"},
		{"upto:1x2", "0;1;2"},
		{"upto:2x1", "0;1;0,0;1,0;0,1;1,1"},
		{"mixtral-8x7b-t16", "mixtral-8x7b-t16"},
	};
	static const char *const refused[] = {"", "5,", "5;", "-1", "5x2", "5x2x1,3", "5,3x1x1",
		"2147483648", "upto:2", "upto:0x1", "upto:9x9", "upto:x", "nosuch", "./nosuch.csv"};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GPtrArray) lists = ts_group_lists_new();
		g_autoptr(GString) got = g_string_new(NULL);

		g_assert_true(ts_group_lists_parse(lists, rows[i].text, NULL));
		for (guint j = 0; j < lists->len; j++) {
			struct ts_spec spec = ts_spec_default();
			g_autofree char *text = NULL;

			ts_group_list_set(g_ptr_array_index(lists, j), &spec);
			text = ts_group_list_text(lists, &spec);
			g_string_append_printf(got, "%s%s", j == 0 ? "" : ";", text);
		}
		g_assert_cmpstr(got->str, ==, rows[i].lists);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
		g_autoptr(GPtrArray) lists = ts_group_lists_new();
		g_autoptr(GError) error = NULL;

		if (ts_group_lists_parse(lists, refused[i], &error))
			g_test_fail_printf("'%s' is no list", refused[i]);
		else
			g_assert_true(error->domain == ts_refusal_quark());
	}
}

static void test_files(void)
{
	static const struct {
		const char *text, *list, *refusal;
	} rows[] = {
		{"m\n3\n0\n", "3,0", NULL},
		{"# a comment\n\n m \r\n3\r\n", "3", NULL},
		{"k,m\n4,3\n5,0\n", "3x8192x4,0x8192x5", NULL},
		{"group,m,n,k\n0,1,2,3\n1,4,5,6", "1x2x3,4x5x6", NULL},
		{"m\n", "", NULL},
		{"", NULL, "is empty"},
		{"3\n4\n", NULL, "line 1: '3' must be a header"},
		{"n,k\n3,4\n", NULL, "line 1: 'n,k' must be a header"},
		{"m,m\n3,4\n", NULL, "must be a header"},
		{"m,n\n3\n", NULL, "line 2: '3' must have 2 fields"},
		{"m\n3\n-1\n", NULL, "line 3: m '-1' must be a whole number"},
		{"m\nx\n", NULL, "line 2: m 'x' must be"},
		{"m\n2147483648\n", NULL, "must be a whole number from 0 to 2147483647"},
		{"m,group\n3,1\n", NULL, "line 2: group 1 comes where group 0 must be"},
		{"m\n\xff\n", NULL, "is not UTF-8"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GError) error = NULL;
		struct ts_group_list *list = ts_group_list_parse("file", rows[i].text, &error);
		struct ts_spec spec = ts_spec_default();
		g_autofree char *got = NULL;

		g_assert_true((list == NULL) == (rows[i].list == NULL));
		if (list == NULL) {
			if (strstr(error->message, rows[i].refusal) == NULL)
				g_test_fail_printf("%s: %s", rows[i].text, error->message);
			continue;
		}
		ts_group_list_set(list, &spec);
		got = ts_group_list_text(NULL, &spec);
		g_assert_cmpstr(got, ==, rows[i].list);
		ts_group_list_free(list);
	}
}

static uint64_t mix(uint64_t x)
{
	uint64_t z = x + 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* The built-in lists are what their comments say. */
static void test_routing(void)
{
	static const struct {
		const char *name;
		int experts, choices, tokens;
	} rows[] = {
		{"mixtral-8x7b-t16", 8, 2, 16},
		{"mixtral-8x7b-t512", 8, 2, 512},
		{"mixtral-8x7b-t8192", 8, 2, 8192},
		{"deepseek-v3-t64", 256, 8, 64},
		{"deepseek-v3-t512", 256, 8, 512},
		{"deepseek-v3-t4096", 256, 8, 4096},
		{"qwen3-235b-a22b-t64", 128, 8, 64},
		{"qwen3-235b-a22b-t1024", 128, 8, 1024},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GPtrArray) lists = ts_group_lists_new();
		const struct ts_group_list *list;
		int64_t tokens_of[256] = {0};
		uint64_t draws = mix((UINT64_C(1) << 32) + (UINT64_C(1) << 31));

		for (int token = 0; token < rows[i].tokens; token++) {
			bool chosen[256] = {false};

			for (int choice = 0; choice < rows[i].choices; choice++) {
				uint64_t sum = 0, at;
				int e = 0;

				for (int j = 0; j < rows[i].experts; j++)
					sum += chosen[j]
						? 0
						: 1 + mix((UINT64_C(1) << 32) + (uint64_t)j) % 8;
				draws = mix(draws);
				for (at = draws % sum;; e++) {
					uint64_t weight = chosen[e]
						? 0
						: 1 + mix((UINT64_C(1) << 32) + (uint64_t)e) % 8;

					if (at < weight)
						break;
					at -= weight;
				}
				chosen[e] = true;
				tokens_of[e]++;
			}
		}
		g_assert_true(ts_group_lists_parse(lists, rows[i].name, NULL));
		list = g_ptr_array_index(lists, 0);
		g_assert_cmpint(list->count, ==, rows[i].experts);
		for (int e = 0; e < rows[i].experts; e++)
			g_assert_cmpint(list->m[e], ==, tokens_of[e]);
	}
}

void ts_lists_add(void)
{
	g_test_add_func("/lists on the command line", test_lists);
	g_test_add_func("/lists in files", test_files);
	g_test_add_func("/built-in lists follow their rule", test_routing);
}
