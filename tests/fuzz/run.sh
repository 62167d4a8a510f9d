#!/bin/sh
# usage: run.sh SECONDS [FOLDER [TARGET...]]
# Builds the fuzz targets with clang's libFuzzer, ASan and UBSan in FOLDER (build-fuzz) and runs
# each for SECONDS. Prints TAP; exits with 77 where there is no clang with these runtimes, with 1
# where a target crashed, leaked or hung: the input then lies in FOLDER. Inputs that reach new code
# gather in FOLDER/found/TARGET. To keep the smallest set of them:
#	FOLDER/tests/fuzz-TARGET -merge=1 tests/fuzz/corpus/TARGET FOLDER/found/TARGET
set -u

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
here=$root/tests/fuzz
case ${1:-} in
'' | *[!0-9]*)
	sed -n '2,/^set/s/^#.//p' "$0" >&2
	exit 2
	;;
esac
seconds=$1
folder=${2:-$root/build-fuzz}
shift "$(($# < 2 ? $# : 2))"
[ $# -gt 0 ] || set -- device shapes trace scenario options

skip()
{
	echo "1..0 # SKIP $*"
	exit 77
}

fail()
{
	sed 's/^/# /' "$folder/log"
	echo "1..1"
	echo "not ok 1 - $*"
	exit 1
}

clang=
for name in clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
	command -v "$name" >/dev/null 2>&1 && { clang=$name; break; }
done
[ -n "$clang" ] || skip "no clang"
mkdir -p "$folder" || exit 1
folder=$(CDPATH='' cd -- "$folder" && pwd)

# The runtimes of older compilers do not start where addresses are random in many bits.
shield=
if setarch "$(uname -m)" -R true 2>/dev/null; then
	shield="setarch $(uname -m) -R"
fi
# GLib's own allocator, in use up to 2.74, hides faults and leaks from ASan.
export G_SLICE=always-malloc
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1

kinds=address,undefined
cat >"$folder/probe.c" <<'END'
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return data == NULL && size > 0;
}
END
"$clang" -fsanitize=fuzzer,$kinds "$folder/probe.c" -o "$folder/probe" >"$folder/log" 2>&1 ||
	skip "$clang has no libFuzzer"
leaks=1
if ! $shield "$folder/probe" -runs=9 >"$folder/log" 2>&1; then
	# LeakSanitizer needs ptrace.
	leaks=0
	$shield "$folder/probe" -runs=9 -detect_leaks=0 >"$folder/log" 2>&1 ||
		skip "a program with libFuzzer does not start"
fi

programs=
for name; do
	programs="$programs fuzz-$name"
done
if ! grep -qsF "\"$root\"" "$folder/meson-info/meson-info.json"; then
	rm -rf "$folder/meson-private" "$folder/meson-info" "$folder/build.ninja"
	CC=$clang meson setup "$folder" "$root" --buildtype=debugoptimized -Dwerror=false \
		"-Db_sanitize=$kinds" -Db_lundef=false \
		"-Dc_args=['-fsanitize=fuzzer-no-link', '-fno-sanitize-recover=all']" \
		>"$folder/log" 2>&1 || fail "the build is set up"
fi
# shellcheck disable=SC2086
meson compile -C "$folder" $programs >"$folder/log" 2>&1 ||
	fail "the targets compile"

status=0
number=0
echo "1..$#"
for name; do
	number=$((number + 1))
	program=$folder/tests/fuzz-$name
	artifact=$folder/$name-
	found=$folder/found/$name
	mkdir -p "$found"
	set -- -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2560 \
		-detect_leaks=$leaks -print_final_stats=1 -artifact_prefix="$artifact"
	[ ! -f "$here/$name.dict" ] || set -- "$@" -dict="$here/$name.dict"
	if $shield "$program" "$@" "$found" "$here/corpus/$name" >"$folder/$name.log" 2>&1; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$name.log")
		covered=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$folder/$name.log" | tail -n 1)
		echo "ok $number - $name: $runs inputs in $seconds s, $covered edges covered"
		continue
	fi
	status=1
	echo "not ok $number - $name"
	tail -n 60 "$folder/$name.log" | sed 's/^/# /'
	input=$(sed -n 's/.*Test unit written to //p' "$folder/$name.log" | tail -n 1)
	echo "# to repeat: G_SLICE=$G_SLICE ${shield:+$shield }$program ${input:-$found}"
done
exit $status
