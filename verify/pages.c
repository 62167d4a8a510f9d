/* Page tables that grow by half. */
#include "verify/pages.h"

#include <string.h>

void ts_pages_init(struct ts_pages *p, size_t size)
{
	memset(p, 0, sizeof *p);
	p->size = size;
}

void ts_pages_finish(struct ts_pages *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		for (uint32_t j = 0; j < p->tables[i].count; j++)
			g_free(p->tables[i].pages[j]);
		g_free(p->tables[i].pages);
	}
	g_clear_pointer(&p->tables, g_free);
	p->count = 0;
}

void ts_pages_grow(struct ts_pages *p, uint32_t table, uint32_t id)
{
	uint32_t page = id / TS_PAGE;
	struct ts_page_table *t;

	if (table >= p->count) {
		p->tables = g_renew(struct ts_page_table, p->tables, table + 1);
		memset(p->tables + p->count, 0, (table + 1 - p->count) * sizeof *p->tables);
		p->count = table + 1;
	}
	t = &p->tables[table];
	if (page >= t->count) {
		uint32_t count = MAX(page + 1, t->count + t->count / 2);

		t->pages = g_renew(char *, t->pages, count);
		memset(t->pages + t->count, 0, (count - t->count) * sizeof *t->pages);
		t->count = count;
	}
	if (t->pages[page] == NULL)
		t->pages[page] = g_malloc0_n(TS_PAGE, p->size);
}
