/* The kernels as machine code inside the program, for every device that the compilers knew. */
#ifndef TS_IMAGES_H
#define TS_IMAGES_H

#include <stdint.h>

/* One program for one target. CUDA's is "cuda": fat binaries, from which the driver chooses. */
struct ts_image {
	const char *program, *target;
	const unsigned char *bytes;
	uint64_t size;
};

/* Ends with a program of NULL. Without CUDA's compiler, or AMD's, theirs are not there. */
extern const struct ts_image ts_images[];

/* NULL where there is none. */
const struct ts_image *ts_image_find(const char *program, const char *target);

#endif
