#!/bin/sh
# The kept inputs do no harm; and where clang's libFuzzer is there, neither do those that it makes
# up in a few seconds. TAP.
#
# usage: fuzz.sh FOLDER PROGRAM...
# FOLDER is where libFuzzer's programs are built, or `none`. Each PROGRAM replays the inputs of its
# target.
set -u
here=${TILESIM_SOURCE:?}/tests/fuzz
folder=$1
shift
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
number=0

for program; do
	number=$((number + 1))
	name=${program##*/fuzz-}
	case $program in
	/*) ;;
	*) program=$PWD/$program ;;
	esac
	if "$program" "$here/corpus/$name" >"$log" 2>&1; then
		echo "ok $number - $name replays $(wc -l <"$log") inputs"
	else
		echo "not ok $number - $name replays its inputs"
		grep -a -v -F "$here/corpus/" "$log" | tail -n 60 | sed 's/^/# /'
		echo "# to repeat: $program $(grep -a -F "$here/corpus/" "$log" | tail -n 1)"
	fi
done

number=$((number + 1))
if [ "$folder" = none ]; then
	echo "ok $number - libFuzzer finds nothing # SKIP in the plain build only"
elif sh "$here/run.sh" 3 "$folder" >"$log" 2>&1; then
	sed 's/^/# /' "$log"
	echo "ok $number - libFuzzer finds nothing"
elif [ $? = 77 ]; then
	echo "ok $number - libFuzzer finds nothing # SKIP $(sed -n 's/.*# SKIP //p' "$log")"
else
	sed 's/^/# /' "$log"
	echo "not ok $number - libFuzzer finds nothing"
fi
echo "1..$number"
