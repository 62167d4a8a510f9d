"""Compiles and runs the tests of each mutant of policies/; run.sh says what for."""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import queue
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading

import mutants

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HEADERS = sorted(path.name for path in (ROOT / 'policies').glob('*.h'))
LIMIT_S = 4           # of processor time in one run; the right programs take one at most
SLEEP_S = 600         # since one may also wait for ever
MEMORY_KIB = 1 << 20  # since a wrong plan may ask for any amount
# Without this, a mutant that random requests rarely meet would be killed in some runs only.
SEED = 'R02S0123456789abcdef0123456789abcdef'
FLAGS = ('-std=c11 -D_DEFAULT_SOURCE -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion '
    '-Wmissing-prototypes -Wno-missing-field-initializers -Werror').split()
PACKAGES = ['gio-2.0', 'json-glib-1.0']

# What of each test program is compiled again for a mutant, each list as one unit since that is
# faster; the rest comes from an archive. Two files keep a unit of their own: one has the order's
# name for another thing, and both say what is to be inlined.
LOOPS = [['verify/loops.c'], ['verify/ids.c']]
WALKED = ['tests/vectors/read.c', 'verify/coverage.c', 'verify/walk.c', 'verify/check.c',
    'verify/finding.c']
PROGRAMS = {
    'policies': [['tests/vectors/check.c', 'tests/vectors/read.c', 'tests/policies.c']],
    'orders': [['tests/orders.c']],
    'collective': [['tests/vectors/read.c', 'verify/chunks.c', 'verify/coverage.c',
        'tests/collective.c']],
    'ids': [WALKED + ['tests/ids.c']] + LOOPS,
    'groups': [WALKED + ['tests/faults/expect.c', 'tests/faults/groups.c', 'tests/group_lists.c',
        'tests/groups.c']] + LOOPS,
    'walks': [WALKED + ['tests/faults/expect.c', 'tests/faults/planted.c',
        'tests/faults/missing.c', 'tests/walks.c']] + LOOPS,
    'roles': [['verify/script.c', 'tests/roles.c']]}
ARCHIVED = ['sim/calibration.c', 'sim/collective.c', 'sim/cost.c', 'sim/device.c', 'sim/groups.c',
    'sim/refuse.c', 'sim/shapes.c']
# What is left out takes seconds and shows nothing more of the header, or runs the whole program.
ONLY = {'roles': ['-p', '/roles/places agree with the count'],
    'groups': ['-p', '/plans are what the definitions say', '-p',
        '/plans at the ends of their numbers', '-p', '/planted'],
    'walks': ['-s', '/small worlds are sound or starve as computed']}
# Those that look at a header, the ones that are fast and kill the most first.
ALWAYS = ['policies', 'walks']
PROGRAMS_OF = {'chunk.h': ['collective', 'policies'], 'pipeline.h': ['roles'],
    'clc.h': ALWAYS + ['ids'], 'remap.h': ALWAYS + ['ids'], 'worksteal.h': ALWAYS + ['ids'],
    'cluster.h': ALWAYS + ['groups'], 'group.h': ['policies', 'groups'],
    'shape.h': ['policies', 'groups', 'collective'], 'curve.h': ['policies', 'orders'],
    'order.h': ['policies', 'orders', 'groups'], 'order_plan.h': ['policies', 'orders'],
    'plan.h': ['policies', 'collective', 'groups', 'orders', 'walks'],
    'policy.h': ['policies', 'groups', 'orders', 'walks', 'ids']}
# All that the headers say, as code: a compiler may see that a mutant changes nothing. Not beside
# policies/, since that would be included before a mutant's.
ALL = 'tests/headers.c'
ALL_INCLUDES = ['policies/plan.h', 'policies/rules.h', 'policies/pipeline.h']


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        text=True)


def flags_of(word):
    return shlex.split(subprocess.check_output(['pkg-config', word] + PACKAGES, text=True))


def units(program):
    """The files that Bench writes, one a list."""
    return [parts[-1].replace('/', '-') for parts in PROGRAMS[program]]


class Place:
    """A folder with a copy of policies/, in which one mutant at a time is built."""

    def __init__(self, folder, cc):
        self.folder = folder
        self.sources = folder.parent / 'sources'
        self.made = set()  # units of this mutant
        self.cc = cc + FLAGS + ['-I' + str(folder), '-I' + str(self.sources)] + flags_of('--cflags')
        shutil.copytree(self.sources / 'policies', folder / 'policies')

    def object(self, name):
        return self.folder / (pathlib.Path(name).stem + '.o')

    def compile(self, source, *options):
        return run(self.cc + [*options, '-c', '-o', str(self.object(source)),
            str(self.sources / source)])

    def make(self, program):
        """Compiles the units of a program; None if all is well, else what the compiler says."""
        for unit in units(program):
            if unit in self.made:
                continue
            done = self.compile(unit)
            if done.returncode != 0:
                return done.stdout
            self.made.add(unit)
        return None

    def link(self, program):
        return run(self.cc + ['-o', str(self.folder / ('test-' + program))] +
            [str(self.object(unit)) for unit in units(program)] +
            [str(self.sources / 'rest.a')] + flags_of('--libs') + ['-lm'])

    def code(self):
        """What all headers compile to, or None if they don't."""
        done = self.compile(ALL, '-O2', '-fkeep-inline-functions')
        return self.object(ALL).read_bytes() if done.returncode == 0 else None

    def passes(self, program):
        """Does every test of the program pass, in time?"""
        script = (f'ulimit -c 0; ulimit -t {LIMIT_S}; ulimit -v {MEMORY_KIB}; '
            f'exec "$0" --seed={SEED} "$@"')
        process = subprocess.Popen(['sh', '-c', script,
            str(self.folder / ('test-' + program)), *ONLY.get(program, [])],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
            env=dict(os.environ, TILESIM_SOURCE=str(self.sources)))
        asleep = threading.Timer(SLEEP_S, process.kill)
        asleep.start()
        passed = True
        for line in process.stdout:
            # An assertion says the latter at once, the former is the end of its test.
            if line.startswith(('not ok', 'ERROR:')):
                passed = False
                process.kill()
        passed = process.wait() == 0 and passed
        asleep.cancel()
        return passed

    def tries(self, program):
        complaint = self.make(program)
        if complaint is not None:
            if 'error:' not in complaint:
                raise RuntimeError('the compiler failed:\n' + complaint)
            return 'refused'
        survives = self.link(program).returncode == 0 and self.passes(program)
        return 'survives' if survives else 'killed'


class Bench:
    """Places for all threads, and what the right policies compile to."""

    def __init__(self, folder, jobs, cc):
        # A copy, so that the tree may change in the meantime.
        self.sources = folder / 'sources'
        for name in ('policies', 'verify', 'sim', 'tests'):
            shutil.copytree(ROOT / name, self.sources / name)
        for program, lists in PROGRAMS.items():
            for unit, parts in zip(units(program), lists):
                self.write(unit, parts)
        self.write(ALL, ALL_INCLUDES)
        self.right = Place(folder / 'right', cc)
        self.free = queue.SimpleQueue()
        for i in range(jobs):
            self.free.put(Place(folder / str(i), cc))
        self.archive(folder / 'archived', jobs, cc)
        self.code = self.right.code()
        if self.code is None:
            sys.exit('the headers do not compile')
        for program in PROGRAMS:
            if self.right.tries(program) != 'survives':
                sys.exit(f'the test {program} fails without a mutant')

    def write(self, unit, parts):
        (self.sources / unit).write_text(''.join(f'#include "{part}"\n' for part in parts),
            encoding='utf-8')

    def archive(self, folder, jobs, cc):
        place = Place(folder, cc)
        parts = sorted('verify/' + p.name for p in (self.sources / 'verify').glob('*.c'))
        parts += ARCHIVED
        objects = [str(folder / (part.replace('/', '-') + '.o')) for part in parts]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for done in pool.map(lambda names: run(place.cc + ['-O1', '-c', '-o', names[1],
                    str(self.sources / names[0])]), zip(parts, objects)):
                if done.returncode != 0:
                    sys.exit(done.stdout)
        run(['ar', 'rcs', str(self.sources / 'rest.a')] + objects)

    def verdict(self, mutant):
        place = self.free.get()
        header = place.folder / 'policies' / mutant.header
        try:
            place.made = set()
            header.write_text(mutant.text, encoding='utf-8')
            return self.try_in(place, PROGRAMS_OF.get(mutant.header, ALWAYS))
        finally:
            shutil.copy(self.sources / 'policies' / mutant.header, header)
            self.free.put(place)

    def try_in(self, place, programs):
        for program in programs:
            verdict = place.tries(program)
            if verdict != 'survives':
                return verdict
            # Behind the first one few are left, and what follows takes longer.
            if program == programs[0] and place.code() == self.code:
                return 'same'
        return 'survives'


def listed():
    """The keys of survivors.txt."""
    lines = (HERE / 'survivors.txt').read_text(encoding='utf-8').splitlines()
    return [line for line in lines if line and line[0] not in '#\t']


class Table:
    """Counts of verdicts, printed a header at a time."""
    columns = ('killed', 'refused', 'same', 'survives')

    def __init__(self):
        self.counts = collections.Counter()
        print(f'{"header":18}{"mutants":>9}' + ''.join(f'{c:>10}' for c in self.columns))

    def row(self, name, verdicts):
        counts = collections.Counter(verdicts)
        self.counts += counts
        self.line(name, counts)

    def line(self, name, counts):
        row = [counts[c] for c in self.columns]
        print(f'{name:18}{sum(row):9}' + ''.join(f'{n:10}' for n in row), flush=True)

    def end(self):
        self.line('all', self.counts)
        print('refused: the compiler warns; same: compiles to the same code')


def arguments():
    parser = argparse.ArgumentParser(prog='run.sh',
        description='Mutants of policies/: each must fail a test, or be listed in survivors.txt.')
    parser.add_argument('headers', metavar='HEADER', nargs='*', default=HEADERS,
        help='files of policies/ (default: all)')
    parser.add_argument('--jobs', type=int, default=os.cpu_count(), help='mutants at a time')
    parser.add_argument('--listed', action='store_true',
        help='try those of survivors.txt only')
    parser.add_argument('--sample', type=int, metavar='N', help='try N of the mutants only')
    parser.add_argument('--seed', type=int, default=1, help='of the sample (default: 1)')
    given = parser.parse_args()
    for header in given.headers:
        if header not in HEADERS:
            parser.error(f"no header '{header}' in policies/: {' '.join(HEADERS)}")
    if given.jobs < 1 or (given.sample is not None and given.sample < 1):
        parser.error('--jobs and --sample: at least 1')
    return given


def main():
    given = arguments()
    cc = shlex.split(os.environ.get('CC', 'cc'))
    known = listed()
    alive, unknown, table = set(), 0, Table()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(pathlib.Path(folder), given.jobs, cc)
        made = [m for header in given.headers for m in mutants.mutants(header,
            (bench.sources / 'policies' / header).read_text(encoding='utf-8'))]
        found = [m for m in made if m.key() in known] if given.listed else made
        if given.sample is not None and given.sample < len(found):
            chosen = random.Random(given.seed).sample(range(len(found)), given.sample)
            found = [found[i] for i in sorted(chosen)]
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            tried = zip(found, pool.map(bench.verdict, found))
            for header, group in itertools.groupby(tried, lambda pair: pair[0].header):
                verdicts = []
                for mutant, verdict in group:
                    verdicts.append(verdict)
                    # A compiler may also see that a listed mutant changes nothing.
                    if verdict in ('survives', 'same'):
                        alive.add(mutant.key())
                    if verdict == 'survives' and mutant.key() not in known:
                        unknown += 1
                        print(f'survives: {mutant.key()}', flush=True)
                table.row(header, verdicts)
    table.end()
    # Of a listed mutant that was not tried it is only known whether it can still be made.
    dead = {m.key() for m in found} - alive
    left = {m.key() for m in made} - dead
    stale = [key for key in known if key.split(' ')[0] in given.headers and key not in left]
    stale += [key for key in known if key.split(' ')[0] not in HEADERS]
    for key in stale:
        print(f'killed or gone, but listed: {key}')
    if len(found) < len(made):
        print(f'{len(found)} of {len(made)} mutants')
    return 1 if unknown or stale else 0


if __name__ == '__main__':
    sys.exit(main())
