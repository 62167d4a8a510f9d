/* Calibrations: what a kernel's times consist of on one device, found by fitting them to times that
 * were measured there (`tilesim gpu calibrate`). Times in cycles pass at the clock of the run. The
 * model is of Hopper's kernel, where a warpgroup has 64 rows of a tile; others are fitted to it. */
#ifndef TS_CALIBRATION_H
#define TS_CALIBRATION_H

#include <gio/gio.h>
#include <stdbool.h>

struct ts_calibration {
	double clock_mhz; /* between launches, where a run says nothing of it; 0: not calibrated */
	double run_mhz;   /* of a run; clock_mhz where nothing else is said */
	/* A launch; and what is more where CTAs are in clusters, and where one thread asks the
	 * policy and hands items on to the rest, in place of each role that asks for itself. The
	 * first claim is part of it, and the others are made while items are computed. */
	double launch_ns, launch_cluster_ns, launch_handed_ns;
	/* A CTA that takes the place of one that left, until it loads; and for every CTA, how much
	 * longer its first operands are on their way when all units ask for theirs at once. */
	double start_ns, start_load_ns;
	double item_cycles;  /* of an item, beside its k iterations */
	double store_cycles; /* of a worker's last item, for each element of a CTA's tile: the
				others are stored while the next one is multiplied */
	/* Of a k iteration where one of several warpgroups has rows in C: nobody multiplies while
	 * it waits for the others to give the stage back. */
	double lone_cycles;
	double tensor_share; /* of the device's rate that multiplications reach */
	/* Share by which k iterations take longer when all units multiply, at clock_mhz: power then
	 * keeps the clock below what it is between launches. It allows the same clock to a run that
	 * is at a lower one, down to that. Fewer units slow by the square of their share,
	 * in the mean of the rounds. */
	double load_slowdown;
	/* L2 has a clock of its own. For 128 bytes of a row of operands that a CTA asks for, when
	 * it is alone; how many times as long they take where rows don't begin at multiples of 32
	 * bytes; the share by which each further line of L2 makes them longer in which they lie,
	 * when all units ask; and how much longer what a part of a tile asks for takes when no
	 * other part is at the same k. */
	double line_ns, line_unaligned, line_split, line_apart;
	/* How much longer what a CTA is given takes, asked for by itself or by others of its
	 * cluster, when all units are given as much; how much more than that where L2 holds nothing
	 * of it from one launch to the next, by the share that it lacks; and for clusters along n
	 * after the first item where items are dealt out beforehand: those who need the same
	 * columns fall out of step, and no claim brings them back. */
	double line_contention, line_missing, line_dealt;
	/* Of a row of a tile outside A or B, when all units work; and how much longer the operands
	 * of everybody's k iterations are on their way when all units have such rows, at much k:
	 * who has less to load than those with whom it shares operands runs ahead of them, and
	 * they ask again for what it had. */
	double outside_ns, outside_wait_ns;
	/* Partial sums: until who waits for one sees that it is there; a CTA's writing of one, or
	 * adding, for each element of its tile; and how much longer that takes when all do it. */
	double part_ns, part_cycles, part_contention;
	double dram_share; /* of the bandwidth of DRAM, where L2 does not hold the matrices */
};

/* What can be fitted: all but the clock. */
struct ts_calibration_key {
	const char *name;
	size_t offset;
	double from, to, guess;
};

extern const struct ts_calibration_key ts_calibration_keys[];
extern const size_t ts_calibration_key_count;

double *ts_calibration_at(struct ts_calibration *c, size_t key);

/* Reads the group [calibrated] of a device file; one that is not there leaves a zeroed calibration.
 * False and a refusal that names the key. */
bool ts_calibration_read(
	struct ts_calibration *ret_calibration, GKeyFile *file, const char *id, GError **error);

/* Writes it in place of the one that is there, with where it is from and what is left of its
 * errors, in words. */
void ts_calibration_write(
	const struct ts_calibration *c, GKeyFile *file, const char *source, const char *residuals);

#endif
