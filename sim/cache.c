/* LRU by bytes over operand panels, and the queues behind the caches. */
#include "sim/cache.h"

#include "sim/cost.h"
#include "sim/refuse.h"

/* Entries of all tables of panels together: 1 GiB. */
static const uint64_t ENTRIES_MAX = UINT64_C(1) << 28;

/* In `panel` of a node: output, which nobody asks for again. */
static const uint32_t OUTPUT = UINT32_MAX;

struct node {
	uint32_t panel;
	uint32_t newer, older;
	double bytes;
	double arrives; /* ps */
};

/* Node 0 is the ends of the list: the newest is older than it, the oldest newer. */
struct level {
	uint32_t *where; /* panel -> its node, or 0 */
	struct node *nodes;
	uint32_t *spare;
	uint32_t spares;
	double room;
	struct ts_cache_use use;
};

/* A resource that serves one request after the other. */
struct queue {
	double free_at, ps_per_byte;
};

struct ts_caches {
	const struct ts_plan *plan;
	uint32_t bytes; /* of an element */
	uint32_t l2s;
	struct level *l2;
	uint32_t *first;  /* per grid of the plan: its first panel */
	struct level llc; /* without nodes where there is none */
	struct queue llc_queue, dram_queue;
	double dram_bytes, stored_bytes;
};

static void level_init(struct level *l, uint64_t panels, double capacity, double least)
{
	uint32_t nodes = (uint32_t)MIN(capacity / least + 2, 1e9);

	l->where = g_new0(uint32_t, MAX(panels, 1));
	l->nodes = g_new0(struct node, (gsize)nodes + 1);
	l->spare = g_new(uint32_t, nodes);
	for (uint32_t i = 0; i < nodes; i++)
		l->spare[l->spares++] = nodes - i;
	l->room = capacity;
}

static void level_finish(struct level *l)
{
	g_free(l->where);
	g_free(l->nodes);
	g_free(l->spare);
}

static void unlink_node(struct level *l, uint32_t at)
{
	struct node *n = &l->nodes[at];

	l->nodes[n->newer].older = n->older;
	l->nodes[n->older].newer = n->newer;
}

static void link_newest(struct level *l, uint32_t at)
{
	struct node *n = &l->nodes[at];

	n->newer = 0;
	n->older = l->nodes[0].older;
	l->nodes[n->older].newer = at;
	l->nodes[0].older = at;
}

/* Makes room for a panel and puts it in front. One that is larger than the cache passes by. */
static void level_insert(struct level *l, uint32_t panel, double bytes)
{
	uint32_t at;

	while ((l->room < bytes || l->spares == 0) && l->nodes[0].newer != 0) {
		uint32_t oldest = l->nodes[0].newer;
		struct node *n = &l->nodes[oldest];

		unlink_node(l, oldest);
		if (n->panel != OUTPUT)
			l->where[n->panel] = 0;
		l->room += n->bytes;
		l->spare[l->spares++] = oldest;
	}
	if (l->room < bytes)
		return;
	at = l->spare[--l->spares];
	l->nodes[at].panel = panel;
	l->nodes[at].bytes = bytes;
	l->room -= bytes;
	if (panel != OUTPUT)
		l->where[panel] = at;
	link_newest(l, at);
}

/* Is the panel there, or on its way? Then also when it arrives. It is the newest from now on. */
static bool level_ask(struct level *l, uint32_t panel, double bytes, double *ret_arrives)
{
	uint32_t at = l->where[panel];

	if (at == 0) {
		l->use.misses++;
		l->use.miss_bytes += bytes;
		level_insert(l, panel, bytes);
		return false;
	}
	l->use.hits++;
	l->use.hit_bytes += bytes;
	unlink_node(l, at);
	link_newest(l, at);
	*ret_arrives = l->nodes[at].arrives;
	return true;
}

/* A panel that was missed is on its way until `arrives`. */
static void level_await(struct level *l, uint32_t panel, double arrives)
{
	if (l->where[panel] != 0)
		l->nodes[l->where[panel]].arrives = arrives;
}

static double serve(struct queue *q, double now, double bytes)
{
	q->free_at = MAX(q->free_at, now) + bytes * q->ps_per_byte;
	return q->free_at;
}

static double ps_per_byte(double gbps)
{
	return gbps > 0 ? 1e3 / gbps : 0;
}

static uint64_t grid_panels(const struct ts_plan *grid)
{
	return ((uint64_t)grid->rows + grid->cols) * grid->depth;
}

/* The panels of all groups; where `ret_first` is not NULL, also the number of each grid's first. */
static uint64_t count_panels(const struct ts_plan *p, uint32_t *ret_first)
{
	uint64_t panels = 0;

	for (uint32_t i = 0; i < p->grid_count; i++) {
		uint64_t own = grid_panels(p->grids != NULL ? &p->grids[i] : p);

		if (ret_first != NULL)
			ret_first[i] = (uint32_t)panels;
		if (own > 0 && p->batch.by > ENTRIES_MAX / own)
			return UINT64_MAX;
		panels += own * p->batch.by;
		if (panels > ENTRIES_MAX)
			return UINT64_MAX;
	}
	return panels;
}

/* The first panel of a group. */
static uint32_t first_panel(const struct ts_caches *c, uint32_t g)
{
	uint32_t grid = ts_quotient(g, c->plan->batch);
	uint64_t copy = g - grid * c->plan->batch.by;

	return (uint32_t)(c->first[grid] + copy * grid_panels(ts_grid(c->plan, g)));
}

struct ts_caches *ts_caches_new(const struct ts_plan *plan, const struct ts_device *device,
	uint32_t element_bytes, GError **error)
{
	uint32_t l2s = device->amd ? device->groups : 1;
	uint32_t levels = l2s + (device->llc_bytes > 0 ? 1 : 0);
	uint64_t panels = count_panels(plan, NULL);
	double least = (double)MIN(plan->block_m, plan->block_n) * plan->block_k * element_bytes;
	struct ts_caches *c;

	if (device->l2_bytes <= 0 || device->dram_gbps <= 0) {
		ts_refuse(error,
			"--memory caches: device %s states no %s; give the key, or use --memory "
			"roofline",
			device->id, device->l2_bytes <= 0 ? "l2_bytes" : "dram_gbps");
		return NULL;
	}
	if (panels > ENTRIES_MAX / levels) {
		ts_refuse(error,
			"--memory caches: %" G_GUINT64_FORMAT
			" operand panels are too many for %u caches; use larger blocks or --memory "
			"roofline",
			panels, levels);
		return NULL;
	}
	c = g_new0(struct ts_caches, 1);
	c->plan = plan;
	c->bytes = element_bytes;
	c->l2s = l2s;
	c->first = g_new(uint32_t, MAX(plan->grid_count, 1));
	count_panels(plan, c->first);
	c->l2 = g_new0(struct level, l2s);
	for (uint32_t i = 0; i < l2s; i++)
		level_init(&c->l2[i], panels, device->l2_bytes, least);
	if (device->llc_bytes > 0)
		level_init(&c->llc, panels, device->llc_bytes, least);
	c->llc_queue.ps_per_byte = ps_per_byte(device->llc_gbps);
	c->dram_queue.ps_per_byte = ps_per_byte(device->dram_gbps * device->dram_efficiency);
	return c;
}

void ts_caches_free(struct ts_caches *c)
{
	if (c == NULL)
		return;
	for (uint32_t i = 0; i < c->l2s; i++)
		level_finish(&c->l2[i]);
	level_finish(&c->llc);
	g_free(c->l2);
	g_free(c->first);
	g_free(c);
}

/* When the panel is in the L2. */
static double fetch_panel(
	struct ts_caches *c, double now, struct level *l2, uint32_t panel, double bytes)
{
	double near = now, far = now;

	if (level_ask(l2, panel, bytes, &near))
		return near;
	if (c->llc.nodes != NULL)
		near = serve(&c->llc_queue, now, bytes);
	if (c->llc.nodes == NULL || !level_ask(&c->llc, panel, bytes, &far)) {
		far = serve(&c->dram_queue, now, bytes);
		c->dram_bytes += bytes;
		if (c->llc.nodes != NULL)
			level_await(&c->llc, panel, far);
	}
	far = MAX(near, far);
	level_await(l2, panel, far);
	return far;
}

double ts_caches_fetch(
	struct ts_caches *c, double now, uint32_t group, const struct ts_step *s, uint32_t k)
{
	/* A policy file may answer what there is not; the verifier says so. */
	const struct ts_plan *p = s->g < c->plan->groups ? ts_grid(c->plan, s->g) : NULL;
	struct level *l2 = &c->l2[c->l2s > 1 ? group : 0];
	double ready = now, deep;
	uint32_t first;

	if (p == NULL || k >= p->depth)
		return now;
	first = first_panel(c, s->g) + k * (p->rows + p->cols);
	deep = ts_cost_inside(k, p->block_k, p->k) * c->bytes;
	for (uint32_t m = s->m; m < p->rows && m - s->m < p->cluster_m; m++) {
		double bytes = ts_cost_inside(m, p->block_m, p->m) * deep;
		double there = fetch_panel(c, now, l2, first + m, bytes);

		ready = MAX(ready, there);
	}
	for (uint32_t n = s->n; n < p->cols && n - s->n < p->cluster_n; n++) {
		double bytes = ts_cost_inside(n, p->block_n, p->n) * deep;
		double there = fetch_panel(c, now, l2, first + p->rows + n, bytes);

		ready = MAX(ready, there);
	}
	return ready;
}

void ts_caches_store(struct ts_caches *c, double now, uint32_t group, const struct ts_step *s)
{
	const struct ts_plan *p = s->g < c->plan->groups ? ts_grid(c->plan, s->g) : c->plan;
	struct level *l2 = &c->l2[c->l2s > 1 ? group : 0];
	double rows = 0, cols = 0, bytes;

	for (uint32_t i = 0; i < p->cluster_m; i++)
		rows += ts_cost_inside(s->m + i, p->block_m, p->m);
	for (uint32_t i = 0; i < p->cluster_n; i++)
		cols += ts_cost_inside(s->n + i, p->block_n, p->n);
	bytes = rows * cols * c->bytes;
	level_insert(l2, OUTPUT, bytes);
	if (c->llc.nodes != NULL)
		level_insert(&c->llc, OUTPUT, bytes);
	serve(&c->dram_queue, now, bytes);
	c->stored_bytes += bytes;
}

double ts_caches_longest_ps(const struct ts_caches *c)
{
	const struct ts_plan *p = c->plan;
	double panels = (double)p->block_m * p->cluster_m + (double)p->block_n * p->cluster_n;
	double bytes = p->items * panels * p->depth * p->block_k * c->bytes;

	return bytes * (c->dram_queue.ps_per_byte + c->llc_queue.ps_per_byte);
}

uint32_t ts_caches_l2s(const struct ts_caches *c)
{
	return c->l2s;
}

struct ts_cache_use ts_caches_l2(const struct ts_caches *c, uint32_t i)
{
	return c->l2[i].use;
}

struct ts_cache_use ts_caches_llc(const struct ts_caches *c)
{
	return c->llc.use;
}

bool ts_caches_has_llc(const struct ts_caches *c)
{
	return c->llc.nodes != NULL;
}

double ts_caches_dram_bytes(const struct ts_caches *c)
{
	return c->dram_bytes;
}

double ts_caches_stored_bytes(const struct ts_caches *c)
{
	return c->stored_bytes;
}

double ts_cache_hit_percent(struct ts_cache_use use)
{
	double asked = (double)use.hits + (double)use.misses;

	return asked > 0 ? 100 * (double)use.hits / asked : 0;
}
