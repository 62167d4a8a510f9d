#!/bin/sh
# No operation on integers overflows: overflow.c, and the property tests of the policies with all
# that they run, compiled so that one ends the program. Signed overflow, shifts and divisions with
# gcc; with clang also unsigned wrap-around and conversions that lose something, which are no errors
# in C but are none of a policy's intentions either. TAP.
set -u
source=${TILESIM_SOURCE:?}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

signed="signed-integer-overflow,shift,integer-divide-by-zero"
all=$signed,unsigned-integer-overflow,implicit-conversion

# Hashes, random numbers and the tests' own sums may wrap: there only what is wrong in C counts.
cat >"$work/intended" <<'END'
[unsigned-integer-overflow|implicit-conversion]
src:*/verify/*
src:*/tests/*
src:*/glib*
END

number=0
# check TITLE COMPILER FLAGS SOURCE...: builds and runs one program.
check()
{
	number=$((number + 1))
	title=$1 compiler=$2 flags=$3
	shift 3
	if ! command -v "$compiler" >/dev/null 2>&1; then
		echo "ok $number - $title # SKIP no $compiler"
		return
	fi
	# shellcheck disable=SC2086
	if ! echo 'int main(void) { return 0; }' |
		"$compiler" $flags -x c - -o "$work/probe" >"$work/log" 2>&1; then
		echo "ok $number - $title # SKIP $compiler has no such sanitizer"
		return
	fi
	# shellcheck disable=SC2046,SC2086
	if "$compiler" -std=c11 -D_DEFAULT_SOURCE -O1 -g -w $flags -fno-sanitize-recover=all \
		-I"$source" "$@" -o "$work/program" ${packages:+$(pkg-config --cflags --libs $packages)} -lm \
		>"$work/log" 2>&1 && "$work/program" >"$work/log" 2>&1; then
		echo "ok $number - $title"
	else
		echo "not ok $number - $title"
		grep -a -v -e '^ok ' -e '^# ' "$work/log" | head -n 40 | sed 's/^/# /'
	fi
}

tests=$source/tests
packages=
echo 1..5
check 'overflow.c, signed' gcc "-fsanitize=$signed" "$tests/overflow.c"
check 'overflow.c, all conversions and wraps' clang "-fsanitize=$all" "$tests/overflow.c"
packages=glib-2.0
check 'policies.c, signed' gcc "-fsanitize=$signed" "$tests/policies.c" \
	"$tests/plans.c" "$tests"/vectors/*.c "$source/verify/shrink.c"
check 'policies.c, all of the policies' clang \
	"-fsanitize=$all -fsanitize-ignorelist=$work/intended" "$tests/policies.c" \
	"$tests/plans.c" "$tests"/vectors/*.c "$source/verify/shrink.c"
check 'walks.c, all of the policies' clang \
	"-fsanitize=$all -fsanitize-ignorelist=$work/intended" "$tests/walks.c" \
	"$tests/faults/expect.c" "$tests/faults/missing.c" "$tests/faults/planted.c" \
	"$tests/vectors/read.c" "$source"/verify/*.c
