/* The options of `tilesim roles`: one model, or the product of models that lists and ranges give.
 */
#ifndef TS_ROLE_OPTIONS_H
#define TS_ROLE_OPTIONS_H

#include "verify/roles.h"

/* In the order of the product; k iterations of the items follow. */
enum ts_role_axis {
	TS_ROLE_CTAS,
	TS_ROLE_STAGES,
	TS_ROLE_CONSUMERS,
	TS_ROLE_ACCUMULATORS,
	TS_ROLE_SLOTS,
	TS_ROLE_AXES
};

enum { TS_ROLE_FORMULAS = 5 };

/* As typed; NULL where not given. */
struct ts_role_options {
	char *axes[TS_ROLE_AXES];
	char *items, *depth, *loads, *limit, *format;
	char *formulas[TS_ROLE_FORMULAS];
	char **skip, **count, **readers, **early;
	gboolean peel, one_sided, help;
};

/* The models that are meant. */
struct ts_role_models {
	struct ts_roles base;                             /* all but the numbers of the axes */
	GArray *values[TS_ROLE_AXES + TS_ROLE_ITEMS_MAX]; /* uint32_t */
	uint32_t axes;
	bool own_depth; /* --depth was given */
	uint64_t count;
};

GOptionContext *ts_role_options_context(struct ts_role_options *o);
void ts_role_options_finish(struct ts_role_options *o);

/* False and a refusal that names the option. */
bool ts_role_models_init(
	struct ts_role_models *all, const struct ts_role_options *o, GError **error);
void ts_role_models_finish(struct ts_role_models *all);

/* Model number `index`, the last item's k changing fastest. */
struct ts_roles ts_role_models_at(const struct ts_role_models *all, uint64_t index);

#endif
