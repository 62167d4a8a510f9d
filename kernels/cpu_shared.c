/* Guards, red zones, and a pattern for what was not written. */
#include "kernels/cpu_shared.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/cpu_race.h"

/* Bytes for static variables, and of a guard; then what rounds up to pages of any size. */
enum { STATIC_ROOM = 256 * 1024, GUARD = 64 * 1024, PAGE = 64 * 1024, ALIGN = 128, RED = 64 };

/* As bf16 or fp32 it is a NaN which no arithmetic makes. */
static const uint32_t unwritten = 0x7fa57fa5;
static const unsigned char red = 0xc9;

static uint64_t round_up(uint64_t bytes, uint64_t to)
{
	return (bytes + to - 1) / to * to;
}

static uint64_t map_bytes(uint32_t dynamic)
{
	return 2 * (uint64_t)GUARD + STATIC_ROOM + round_up(dynamic, PAGE);
}

static void fill(char *to, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes; i += sizeof unwritten)
		memcpy(to + i, &unwritten, sizeof unwritten);
}

bool cpu_shared_make(struct cpu_cta *cta, uint32_t dynamic)
{
	uint64_t inside = map_bytes(dynamic) - 2 * (uint64_t)GUARD;
	void *map = mmap(NULL, map_bytes(dynamic), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return false;
	cta->map = map;
	cta->shared = cta->map + GUARD;
	cta->dynamic = cta->shared + inside - round_up(dynamic, ALIGN);
	return mprotect(cta->shared, inside, PROT_READ | PROT_WRITE) == 0;
}

void cpu_shared_free(struct cpu_cta *cta, uint32_t dynamic)
{
	if (cta->map != NULL)
		munmap(cta->map, map_bytes(dynamic));
	cta->map = NULL;
}

bool cpu_shared_open_guard(struct cpu_cta *cta)
{
	return mprotect(cta->map, map_bytes(cta->place->launch->grid.shared),
		       PROT_READ | PROT_WRITE) == 0;
}

uint64_t cpu_shared_bytes(const struct cpu_cta *cta)
{
	return map_bytes(cta->place->launch->grid.shared) - 2 * (uint64_t)GUARD;
}

void cpu_shared_launch(struct cpu_place *p)
{
	p->site_count = 0;
	p->static_bytes = 0;
}

/* Room of a variable without its red zones; bytes of it that have the pattern at first. */
static uint64_t room_of(const struct cpu_shared *what)
{
	return round_up(what->bytes, RED);
}

static uint64_t filled(const struct cpu_shared *what)
{
	return round_up(what->bytes, sizeof unwritten);
}

void cpu_shared_group(struct cpu_place *p)
{
	for (uint32_t rank = 0; rank < p->launch->ranks; rank++) {
		p->ctas[rank].has_dynamic = false;
		cpu_race_sync(&p->ctas[rank]);
		for (uint32_t i = 0; i < p->site_count; i++)
			fill(p->ctas[rank].shared + p->sites[i].offset, filled(p->sites[i].what));
	}
}

void *cpu_shared_dynamic(void)
{
	struct cpu_cta *cta = cpu_thread()->cta;

	if (!cta->has_dynamic)
		fill(cta->dynamic, round_up(cta->place->launch->grid.shared, ALIGN));
	cta->has_dynamic = true;
	return cta->dynamic;
}

/* A new variable lies behind the others, between red zones, in all CTAs alike. */
static const struct cpu_site *add_site(struct cpu_place *p, const struct cpu_shared *what)
{
	struct cpu_site *s = &p->sites[p->site_count];
	uint64_t bytes = RED + room_of(what) + RED;

	if (p->site_count == CPU_SITES)
		cpu_fail("has more than %d variables in shared memory", CPU_SITES);
	if (p->static_bytes + bytes > STATIC_ROOM)
		cpu_fail("has %" PRIu64 " bytes of %s, for which shared memory has no room",
			what->bytes, what->name);
	s->what = what;
	s->offset = p->static_bytes + RED;
	for (uint32_t rank = 0; rank < p->launch->ranks; rank++) {
		memset(p->ctas[rank].shared + p->static_bytes, red, bytes);
		fill(p->ctas[rank].shared + s->offset, filled(what));
	}
	p->static_bytes += RED + room_of(what);
	p->site_count++;
	return s;
}

void *cpu_shared_at(const struct cpu_shared *what)
{
	struct cpu_cta *cta = cpu_thread()->cta;
	struct cpu_place *p = cta->place;

	for (uint32_t i = 0; i < p->site_count; i++)
		if (p->sites[i].what == what)
			return cta->shared + p->sites[i].offset;
	return cta->shared + add_site(p, what)->offset;
}

/* What a red zone has lost; NULL where it is whole. */
static const char *find_written(const char *from, const char *to)
{
	for (; from < to; from++)
		if ((unsigned char)*from != red)
			return from;
	return NULL;
}

void cpu_shared_check(struct cpu_place *p)
{
	for (uint32_t i = 0; i < p->launch->ranks * p->site_count; i++) {
		const struct cpu_cta *cta = &p->ctas[i / p->site_count];
		const struct cpu_site *s = &p->sites[i % p->site_count];
		const char *at = cta->shared + s->offset;
		const char *bad = find_written(at + filled(s->what), at + room_of(s->what) + RED);
		char name[80], text[160];

		if (bad == NULL)
			continue;
		cpu_name_cta(cta, name, sizeof name);
		cpu_shared_describe(cta, bad, text, sizeof text);
		cpu_fault(p->launch, NULL,
			"%s: a thread wrote beyond the end, without TS_WRITE(): %s", name, text);
		return;
	}
}

struct cpu_cta *cpu_shared_find(const struct cpu_place *place, const void *p)
{
	uint64_t bytes = map_bytes(place->launch->grid.shared);

	for (uint32_t rank = 0; rank < place->launch->ranks; rank++) {
		struct cpu_cta *cta = &place->ctas[rank];

		if ((const char *)p >= cta->map && (const char *)p < cta->map + bytes)
			return cta;
	}
	return NULL;
}

/* Are they in the `whole` bytes from `begin` on? */
static bool lies_in(const char *begin, uint64_t whole, const char *p, uint64_t bytes)
{
	return p >= begin && (uint64_t)(p - begin) <= whole &&
		bytes <= whole - (uint64_t)(p - begin);
}

bool cpu_shared_holds(const struct cpu_cta *cta, const void *p, uint64_t bytes)
{
	const struct cpu_place *place = cta->place;

	for (uint32_t i = 0; i < place->site_count; i++)
		if (lies_in(cta->shared + place->sites[i].offset, place->sites[i].what->bytes, p,
			    bytes))
			return true;
	return lies_in(cta->dynamic, place->launch->grid.shared, p, bytes);
}

bool cpu_shared_written(const void *p, uint64_t bytes)
{
	uint32_t word;

	if (bytes % sizeof word != 0)
		return true;
	for (uint64_t i = 0; i < bytes; i += sizeof word) {
		memcpy(&word, (const char *)p + i, sizeof word);
		if (word != unwritten)
			return true;
	}
	return false;
}

void cpu_shared_describe(const struct cpu_cta *cta, const void *p, char *text, uint32_t room)
{
	const struct cpu_place *place = cta->place;
	const struct cpu_site *s = NULL;
	const char *at = p;

	for (uint32_t i = 0; i < place->site_count; i++)
		if (at >= cta->shared + place->sites[i].offset)
			s = &place->sites[i];
	if (at >= cta->dynamic)
		snprintf(text, room,
			"offset %" PRIu64 " of dynamic shared memory, which has %u bytes",
			(uint64_t)(at - cta->dynamic), place->launch->grid.shared);
	else if (s != NULL)
		snprintf(text, room,
			"offset %" PRIu64 " of %s in shared memory, which has %" PRIu64 " bytes",
			(uint64_t)(at - cta->shared) - s->offset, s->what->name, s->what->bytes);
	else
		snprintf(text, room, "in front of shared memory");
}

const void *cpu_shared_of(const void *p, uint32_t rank)
{
	struct cpu_thread *t = cpu_thread();
	struct cpu_cta *mine = t->cta, *other;

	if (rank >= mine->place->launch->ranks)
		cpu_fail("asks for the shared memory of rank %u in a cluster of %u CTAs", rank,
			mine->place->launch->ranks);
	if (cpu_shared_find(mine->place, p) != mine)
		cpu_fail("asks another CTA for %p, which is not in its own shared memory", p);
	other = &mine->place->ctas[rank];
	if (other->left == t->self.threads)
		cpu_fail("asks for the shared memory of rank %u, which has left", rank);
	return other->shared + ((const char *)p - mine->shared);
}
