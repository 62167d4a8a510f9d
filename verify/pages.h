/* Pages: zeroed elements by table and id, made when they are first asked for, so that ids may be
 * large and sparse. */
#ifndef TS_PAGES_H
#define TS_PAGES_H

#include <glib.h>
#include <stdint.h>

enum { TS_PAGE = 64 /* elements */ };

struct ts_page_table {
	char **pages;
	uint32_t count;
};

struct ts_pages {
	size_t size; /* of an element */
	struct ts_page_table *tables;
	uint32_t count;
};

void ts_pages_init(struct ts_pages *p, size_t size);
void ts_pages_finish(struct ts_pages *p);

/* Makes the page of an element. */
void ts_pages_grow(struct ts_pages *p, uint32_t table, uint32_t id);

/* The element, or NULL where no page holds it. */
static inline void *ts_pages_peek(const struct ts_pages *p, uint32_t table, uint32_t id)
{
	char *page;

	if (table >= p->count || id / TS_PAGE >= p->tables[table].count)
		return NULL;
	page = p->tables[table].pages[id / TS_PAGE];
	return page == NULL ? NULL : page + id % TS_PAGE * p->size;
}

/* The element; it stays where it is. */
static inline void *ts_pages_at(struct ts_pages *p, uint32_t table, uint32_t id)
{
	void *element = ts_pages_peek(p, table, id);

	if (element != NULL)
		return element;
	ts_pages_grow(p, table, id);
	return ts_pages_peek(p, table, id);
}

#endif
