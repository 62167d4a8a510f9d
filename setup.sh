#!/bin/sh
# Installs what is missing, builds tilesim, runs it, tests it. `./setup.sh help` lists the commands.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build=$root/build
export DEBIAN_FRONTEND=noninteractive

help()
{
	cat <<'END'
./setup.sh [build]         install what is missing and build tilesim in build/
./setup.sh run [ARG...]    build if need be, then run `tilesim ARG...` with its exit code
./setup.sh test [NAME...]  build and run the tests: plain, under ASan and UBSan, under TSan
./setup.sh bench [NAME...] build and run the benchmarks
./setup.sh help            show this

Packages are installed with apt-get as root or by sudo without a password; otherwise their names are
printed. Exit codes: 0 all is well, 1 a build or a test failed, 2 something is missing or the
command is wrong; `run` gives tilesim's own.
END
}

say() { printf 'setup.sh: %s\n' "$*" >&2; }
fail() { code=$1; shift; say "$*"; exit "$code"; }
have() { command -v "$1" >/dev/null 2>&1; }

# Runs a command with its output in the file $1, shown on stderr only if it fails.
quiet()
{
	log=$1
	shift
	"$@" >"$log" 2>&1 </dev/null || { code=$?; cat "$log" >&2; return "$code"; }
}

# --- What is needed -------------------------------------------------------------------------------

compiler()
{
	if [ -n "${CC:-}" ]; then
		echo "$CC"
	else
		command -v cc || command -v gcc || command -v clang
	fi
}

find_ninja() { command -v ninja || command -v ninja-build; }

# The Debian packages that a build lacks.
missing()
{
	if cc=$(compiler); then
		# $cc may be more than one word: ccache gcc.
		# shellcheck disable=SC2086
		echo '#include <stdlib.h>' | $cc -fsyntax-only -x c - 2>/dev/null || echo libc6-dev
	else
		echo gcc libc6-dev
	fi
	have meson || echo meson
	have python3 || echo python3
	find_ninja >/dev/null || echo ninja-build
	have pkg-config || { echo pkg-config libglib2.0-dev libjson-glib-dev; return; }
	{ pkg-config --exists 'glib-2.0 >= 2.74' gio-2.0 && have glib-compile-resources; } ||
		echo libglib2.0-dev
	pkg-config --exists json-glib-1.0 || echo libjson-glib-dev
}

# Those that only plots lack.
missing_for_plots() { have gnuplot || echo gnuplot-nox fonts-dejavu-core; }

# Those that only kernels for AMD lack: older compilers don't know all of the targets. Debian 12 has
# them among its security updates; Ubuntu 24.04 has none so new.
missing_for_amd()
{
	{ have clang++-22 && have ld.lld-22; } || echo clang-22 lld-22
	have llvm-objdump-22 || echo llvm-22
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
	fi
}

may_install()
{
	have apt-get && { [ "$(id -u)" = 0 ] || { have sudo && sudo -n true 2>/dev/null; }; }
}

install_packages()
{
	say "installing $*"
	log=$(mktemp)
	# A failed update of some other source does no harm if the install succeeds.
	quiet "$log" as_root apt-get update || :
	quiet "$log" as_root apt-get install -y --no-install-recommends "$@" || { rm -f "$log"; return 1; }
	rm -f "$log"
}

# The tests take kernels for AMD along where that can be.
prepare_amd()
{
	amd=$(missing_for_amd | xargs)
	[ -n "$amd" ] || return 0
	say "installing $amd, for the kernels for AMD"
	# shellcheck disable=SC2086
	if may_install && install_packages $amd 2>/dev/null; then
		# What was set up without them is set up again.
		rm -f "$root"/build*/build.ninja
	else
		say "they are not to be had here: tilesim is built and tested without those kernels"
	fi
}

# Installs what is missing. With $1 = plots, plots are going to be drawn; with $1 = tests,
# everything is going to be tested.
prepare()
{
	[ "$1" != tests ] || { prepare plots; prepare_amd; return; }
	needed=$(missing | xargs)
	wanted=
	if [ -n "$needed" ] || [ "$1" = plots ]; then
		wanted=$(missing_for_plots | xargs)
	fi
	[ -n "$needed$wanted" ] || return 0

	if may_install; then
		# shellcheck disable=SC2086
		install_packages $needed $wanted || :
		needed=$(missing | xargs)
		wanted=$(missing_for_plots | xargs)
	fi
	if [ -n "$needed" ]; then
		say "these packages are missing and could not be installed; as root:"
		fail 2 "apt-get update && apt-get install -y --no-install-recommends $needed${wanted:+ $wanted}"
	fi
	if [ -n "$wanted" ] && [ "$1" = plots ]; then
		say "no gnuplot, so no plots; as root: apt-get install -y --no-install-recommends $wanted"
	fi
}

# --- Building -------------------------------------------------------------------------------------

# One setup.sh at a time installs and builds in this tree.
lock()
{
	mkdir -p "$build"
	exec 9>"$build/.setup.lock"
	if have flock; then flock 9; fi
}

unlock() { exec 9>&-; }

# configure DIR OPTION...: sets DIR up unless it is. A folder that came along from elsewhere with a
# copied tree builds that other tree: it is made anew.
configure()
{
	dir=$1
	shift
	if [ -f "$dir/build.ninja" ] && grep -qF "\"$root\"" "$dir/meson-info/meson-info.json"; then
		return
	fi
	rm -rf "$dir/meson-private" "$dir/meson-info" "$dir/build.ninja"
	mkdir -p "$dir"
	quiet "$dir/setup.log" meson setup "$dir" "$root" "$@"
}

# compile DIR [TARGET]
compile() { dir=$1; shift; quiet "$dir/setup.log" "$(find_ninja)" -C "$dir" "$@"; }

# release plots|tests|none [TARGET]
release()
{
	lock
	prepare "$1"
	shift
	if ! configure "$build" --buildtype=release || ! compile "$build" "$@"; then
		say "the build failed"
		return 1
	fi
	unlock
}

# --- Tests ----------------------------------------------------------------------------------------

passed=0 failed=0 skipped=0

# Prints how many test cases passed, failed and were skipped in the last `meson test` of folder $1,
# and on stderr what failed. A program that fails without a failed case (a crash, a timeout, no plan,
# or fewer results than planned) is one failure more.
count()
{
	python3 - "$1" "${1##*/}" <<'END'
import collections, json, re, sys
import xml.etree.ElementTree as xml

folder, label = sys.argv[1:]
logs = folder + '/meson-logs/testlog'
cases = collections.defaultdict(list)
for case in xml.parse(logs + '.junit.xml').iter('testcase'):
    program = case.get('classname').partition('.')[2]
    bad = case.find('failure') is not None or case.find('error') is not None
    kind = 'failed' if bad else 'skipped' if case.find('skipped') is not None else 'passed'
    if program:
        cases[program].append((kind, case.get('name')))

total = collections.Counter()
for program in map(json.loads, open(logs + '.json', encoding='utf-8')):
    name, result, output = program['name'], program['result'], program.get('stdout') or ''
    kinds = collections.Counter(kind for kind, case in cases[name])
    plan = re.search(r'^1\.\.(\d+)', output, re.MULTILINE)
    reason = None
    if result not in ('OK', 'SKIP', 'EXPECTEDFAIL'):
        reason = '%s, exit status %s' % (result.lower(), program.get('returncode'))
    elif not plan:
        reason = 'no plan'
    elif int(plan[1]) != sum(kinds.values()):
        reason = '%d results of %s planned' % (sum(kinds.values()), plan[1])
    elif int(plan[1]) == 0:
        kinds['skipped'] += 1
    for kind, case in cases[name]:
        if kind == 'failed':
            print('%s: failed: %s: %s' % (label, name, case), file=sys.stderr)
    if reason and not kinds['failed']:
        kinds['failed'] += 1
        print('%s: failed: %s: %s' % (label, name, reason), file=sys.stderr)
    total += kinds
print(total['passed'], total['failed'], total['skipped'])
END
}

totals()
{
	printf '%s passed, %s failed%s\n' "$1" "$2" "$([ "$3" = 0 ] || printf ', %s skipped' "$3")"
}

add()
{
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# run_tests DIR TIMES ARG...: runs the tests of DIR with TIMES the time allowed, under $shield.
shield=
run_tests()
{
	dir=$1 times=$2
	shift 2
	rm -f "$dir/meson-logs/testlog.json" "$dir/meson-logs/testlog.junit.xml"
	# The result is taken from the logs: meson takes a program without a plan for a skipped one.
	$shield meson test -C "$dir" --no-rebuild --print-errorlogs -t "$times" "$@" </dev/null || :
	if ! numbers=$(count "$dir"); then
		say "${dir##*/}: the tests left no results"
		numbers='0 1 0'
	fi
	# shellcheck disable=SC2086
	add $numbers
	# shellcheck disable=SC2086
	printf '%s: %s\n' "${dir##*/}" "$(totals $numbers)"
}

# Says how a program without a fault fares under -fsanitize=$1: fine, or what its runtime complains
# of.
probe()
{
	echo 'int main(void) { return 0; }' >"$build/probe.c"
	# shellcheck disable=SC2046
	{ $(compiler) "-fsanitize=$1" "$build/probe.c" -o "$build/probe" && $shield "$build/probe"; } \
		>"$build/probe.log" 2>&1
}

# sanitized DIR SANITIZERS ARG...: the tests once more in DIR. Warnings are errors in the plain
# build only: instrumented code gives rise to false ones.
sanitized()
{
	dir=$1 kinds=$2
	shift 2
	printf '\n%s: -fsanitize=%s\n' "${dir##*/}" "$kinds"
	if ! probe "$kinds"; then
		cat "$build/probe.log" >&2
		say "-fsanitize=$kinds does not work here: its tests are skipped"
		add 0 0 1
		return
	fi
	lock
	if configure "$dir" --buildtype=debugoptimized -Dwerror=false "-Db_sanitize=$kinds" \
		-Db_lundef=false "-Dc_args=-fno-sanitize-recover=all" && compile "$dir"; then
		unlock
		run_tests "$dir" 10 "$@"
	else
		unlock
		say "${dir##*/}: the build failed"
		add 0 1 0
	fi
}

run_all_tests()
{
	if release tests; then
		printf 'build: release\n'
		run_tests "$build" 2 "$@"
		run_sanitized_tests "$@"
	else
		add 0 1 0
	fi
	printf '\n'
	totals "$passed" "$failed" "$skipped"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}

run_sanitized_tests()
{
	# The runtimes of older compilers do not start where addresses are random in many bits.
	if setarch "$(uname -m)" -R true 2>/dev/null; then
		shield="setarch $(uname -m) -R"
	fi
	# A fault must not look like an exit code of tilesim.
	export ASAN_OPTIONS=abort_on_error=1:detect_stack_use_after_return=1:strict_string_checks=1
	export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1
	# What happens inside GLib, which is not instrumented, is neither seen nor judged.
	# A trap in a policy file ends the program while its threads are at work: no leak of threads.
	TSAN_OPTIONS=halt_on_error=1:abort_on_error=1:ignore_noninstrumented_modules=1
	export TSAN_OPTIONS=$TSAN_OPTIONS:report_thread_leaks=0
	# GLib's own allocator, in use up to 2.74, hides faults from ASan and its locks from TSan.
	export G_SLICE=always-malloc
	if ! probe address && grep -q LeakSanitizer "$build/probe.log"; then
		say "LeakSanitizer cannot run here (it needs ptrace): no search for leaks"
		ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
	fi
	sanitized "$root/build-asan" address,undefined "$@"
	sanitized "$root/build-tsan" thread "$@"
}

# --- Commands -------------------------------------------------------------------------------------

command=${1:-build}
[ $# = 0 ] || shift
case $command in
build)
	release plots
	;;
run)
	case " $* " in
	*plot*) release plots tilesim ;;
	*) release none tilesim ;;
	esac
	exec "$build/tilesim" "$@"
	;;
test)
	run_all_tests "$@" || exit 1
	;;
bench)
	release none
	exec meson test -C "$build" --no-rebuild --benchmark --verbose "$@"
	;;
help | -h | --help)
	help
	;;
*)
	help >&2
	fail 2 "there is no command '$command'"
	;;
esac
