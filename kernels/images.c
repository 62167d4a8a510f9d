/* The table of images is made by images.S. */
#include "kernels/images.h"

#include <stddef.h>
#include <string.h>

const struct ts_image *ts_image_find(const char *program, const char *target)
{
	for (const struct ts_image *i = ts_images; i->program != NULL; i++)
		if (strcmp(i->program, program) == 0 && strcmp(i->target, target) == 0)
			return i;
	return NULL;
}
