#!/bin/sh
# Mutants: the real program, with one wrong edit in policies/, must exit with 1 and name the fault.
#
# usage: faults.sh CC FLAGS REST...
# Only what asks the policies anything in `tilesim verify` is compiled again, from changed copies of
# the headers; the rest of the program comes from the archives REST. Prints TAP.
set -u

cc=$1
flags=$2
shift 2
source=${TILESIM_SOURCE:?}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

command -v "${cc%% *}" >/dev/null || { echo "1..0 # SKIP no C compiler ${cc%% *}"; exit 0; }
command -v pkg-config >/dev/null || { echo "1..0 # SKIP no pkg-config"; exit 0; }
packages="gio-2.0 json-glib-1.0"
compiled="$source/sim/verify.c $source/verify/coverage.c $source/verify/walk.c"
compiled="$compiled $source/verify/loops.c $source/verify/ids.c"

# build REST...: $work/tilesim from $work/policies. Not optimised: the walks are inlined for every
# policy there is, and instrumented too that takes most of a minute.
build()
{
	# shellcheck disable=SC2046,SC2086
	$cc -std=c11 -D_DEFAULT_SOURCE $flags -O0 -I"$work" -I"$source" $(pkg-config --cflags $packages) \
		-o "$work/tilesim" $compiled "$@" $(pkg-config --libs $packages) -ldl -lm -lpthread \
		>"$work/messages" 2>&1
}

# expect TITLE CODE TEXT COMMAND...: one line of TAP.
count=0
expect()
{
	count=$((count + 1))
	title=$1 code=$2 text=$3
	shift 3
	"$work/tilesim" verify "$@" >"$work/messages" 2>&1
	got=$?
	if [ $got -eq "$code" ] && grep -qF -- "$text" "$work/messages"; then
		echo "ok $count - $title"
	else
		echo "not ok $count - $title"
		echo "# verify $*: exit code $got instead of $code, or no '$text' in:"
		sed 's/^/# /' "$work/messages"
	fi
}

# fail TITLE: the same where there is nothing to run; says $work/messages.
fail()
{
	count=$((count + 1))
	echo "not ok $count - $1"
	sed 's/^/# /' "$work/messages"
}

# A table: title | header | edit | text of the finding | arguments of `tilesim verify`.
mutants()
{
	cat <<'END'
a cluster's tail without its guard|cluster.h|s/t\.valid = .*;/t.valid = true;/|tile row 3 of a grid of 3 x 1 tiles|--m 257 --n 128 --k 64 --block 128x128x64 --cluster 2x1 --device h200 --policy persistent
a guard of rows only|cluster.h|s/ && t\.n < grid->cols//|tile column 3 of a grid of 1 x 3 tiles|--m 128 --n 257 --k 64 --block 128x128x64 --cluster 1x2 --device h200 --policy persistent
a last panel as wide as the others|order.h|s/= panel < p->full_panels ? p->width : p->last_width/= p->width/|out of bounds: |--m 5 --n 4 --k 1 --block 1x1x1 --order grouped-m --swizzle 2 --device h200 --policy persistent
a snake that turns one tile late|order.h|s/p->across - 1 - at.across/p->across - at.across/|out of bounds: |--m 5 --n 4 --k 1 --block 1x1x1 --order snake-m --swizzle 2 --device h200 --policy data-parallel
a rotation by the id within the panel|order.h|s/first + id - ts_quotient(id, width)/first + within - ts_quotient(id, width)/|tile|--m 5 --n 3 --k 1 --block 1x1x1 --order rotated-m --swizzle 3 --device h200 --policy persistent
an odd last row among the pairs|order.h|s/at.across = id - p->last_row;/at.across = id - p->last_row + 1;/|out of bounds: |--m 5 --n 4 --k 1 --block 1x1x1 --order paired-m --swizzle 2 --device h200 --policy persistent
a strip swizzled beyond the last whole one|order.h|s/at.along >= p->full_panels \* width/at.along > p->full_panels * width/|tile|--m 4 --n 5 --k 1 --block 1x1x1 --order inplace-n --swizzle 2 --device h200 --policy persistent
a cohort as wide at the edge|order.h|s/case 3: row = in \/ 3; break;/case 3: row = in \/ 2; break;/|tile|--m 3 --n 7 --k 1 --block 1x1x1 --order cohort --swizzle 2 --device h200 --policy persistent
a quarter counted as if it were whole|curve.h|s/return left < side ? left : side;/return side;/|tile|--m 3 --n 3 --k 1 --block 1x1x1 --order morton --device h200 --policy persistent
a curve that enters its last half too late|curve.h|s/ts_curve_move(&s, s.length - 1, across - 1);/ts_curve_move(\&s, s.length - 1, across);/|tile|--m 4 --n 4 --k 1 --block 1x1x1 --order hilbert --device h200 --policy persistent
a clipped curve that forgets where it turned|curve.h|s/count = ts_curve_clip(c.m + down/count = ts_curve_clip(c.m + right/|tile|--m 3 --n 5 --k 1 --block 1x1x1 --order hilbert-clipped --device h200 --policy persistent
a persistent stride too long by one|persistent.h|s/id + p->workers + 1/id + p->workers + 2/|missing tile: nobody computes|--m 9 --n 7 --k 1 --block 1x1x1 --workers 4 --device h200 --policy persistent
a share without its remainder|policy.h|s/return i \* each + (i < longer ? i : longer);/return i * each;/|tile computed twice: worker|--m 5 --n 2 --k 1 --block 1x1x1 --remap chiplet --device mi300x --policy data-parallel
a bound of a queue too high by one|worksteal.h|s/answer < q\.size/answer <= q.size/|tile computed twice: worker|--m 4 --n 4 --k 1 --block 1x1x1 --device mi300x --policy worksteal --mode steal
a thief that skips the next queue|worksteal.h|s/w\.domain + hop/w.domain + 2 * hop/|starvation: counter|--m 4 --n 4 --k 1 --block 1x1x1 --workers 2 --xcds 4 --device mi300x --policy worksteal --mode steal
a thief that leaves after its own queue|worksteal.h|s/case TS_STEAL: return p->queue_domains \* p->slots.by;/case TS_STEAL: return 1;/|starvation: counter|--m 4 --n 4 --k 1 --block 1x1x1 --workers 4 --xcds 2 --device mi300x --policy worksteal --mode steal
a queue chosen without the slot|worksteal.h|s/q\.counter = domain \* p->slots\.by + slot;/q.counter = domain;/|starvation: counter|--m 4 --n 4 --k 1 --block 1x1x1 --xcds 2 --counters 2 --workers 8 --device mi300x --policy worksteal --mode slots
END
}

# The right program passes every command, so that what follows is the mutants' own doing.
mkdir "$work/policies" && cp "$source"/policies/*.h "$work/policies" || exit 1
echo "1..$(($(mutants | wc -l) * 2))"
build "$@" || { fail "the program compiles"; exit 1; }
while IFS='|' read -r title header edit text arguments; do
	# shellcheck disable=SC2086
	expect "right without: $title" 0 sound $arguments
done <<END
$(mutants)
END
while IFS='|' read -r title header edit text arguments; do
	sed "$edit" "$source/policies/$header" >"$work/policies/$header"
	if cmp -s "$source/policies/$header" "$work/policies/$header"; then
		echo "the edit '$edit' changes nothing in policies/$header" >"$work/messages"
		fail "$title"
	elif ! build "$@"; then
		fail "$title"
	else
		# shellcheck disable=SC2086
		expect "$title" 1 "$text" $arguments
	fi
	cp "$source/policies/$header" "$work/policies/$header"
done <<END
$(mutants)
END
