"""Compiles and runs the tests of each mutant of policies/; run.sh says what for."""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import queue
import random
import re
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
    '-Wno-missing-field-initializers -Werror').split()
PACKAGES = ['gio-2.0', 'json-glib-1.0']

# The functions of the headers are compiled once a mutant, as one unit, and win over the right ones
# that everything else was compiled with. For that they are not static, and -fPIC keeps compilers
# from what they know of a function that can be replaced. Two files say themselves what is inlined,
# and one has its own name for an order: they are compiled again, as they are.
HEADERS_C = 'headers.c'
INCLUDED = ['policies/plan.h', 'policies/rules.h', 'policies/pipeline.h']
LOOPS = ['verify/loops.c', 'verify/ids.c']
WITH_LOOPS = ['groups', 'ids', 'walks']
PROGRAMS = ['policies', 'orders', 'collective', 'ids', 'groups', 'walks', 'roles']
ARCHIVED = ['sim/calibration.c', 'sim/collective.c', 'sim/cost.c', 'sim/device.c', 'sim/groups.c',
    'sim/refuse.c', 'sim/shapes.c', 'tests/faults/expect.c', 'tests/faults/groups.c',
    'tests/faults/missing.c', 'tests/faults/planted.c', 'tests/group_lists.c',
    'tests/order_rules.c', 'tests/plans.c', 'tests/vectors/check.c', 'tests/vectors/read.c']
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


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        text=True)


def flags_of(word):
    return shlex.split(subprocess.check_output(['pkg-config', word] + PACKAGES, text=True))


def replaceable(text):
    """A header whose functions have linkage."""
    return re.sub(r'^static inline ', '', text, flags=re.MULTILINE)


class Place:
    """A folder with copies of policies/, in which one mutant at a time is built."""

    def __init__(self, folder, cc):
        self.folder = folder
        self.sources = folder.parent / 'sources'
        self.cc = cc + FLAGS + flags_of('--cflags')
        self.made = set()  # of the files that a mutant needs compiled
        for name in ('as-is', 'replaceable'):
            (folder / name / 'policies').mkdir(parents=True)
        for path in (self.sources / 'policies').glob('*.h'):
            self.write(path.name, path.read_text(encoding='utf-8'))
        (folder / HEADERS_C).write_text(''.join(f'#include "{part}"\n' for part in INCLUDED),
            encoding='utf-8')

    def write(self, header, text):
        self.made.clear()
        (self.folder / 'as-is/policies' / header).write_text(text, encoding='utf-8')
        (self.folder / 'replaceable/policies' / header).write_text(replaceable(text),
            encoding='utf-8')

    def object(self, name):
        return self.folder / (name.replace('/', '-') + '.o')

    def compile(self, source, headers, *options):
        return run(self.cc + [*options, '-I' + str(self.folder / headers),
            '-I' + str(self.sources), '-c', '-o', str(self.object(source.name)), str(source)])

    def make(self, program):
        """Compiles what the mutant changes; None if all is well, else what the compiler says."""
        wanted = [(self.folder / HEADERS_C, 'replaceable')]
        if program in WITH_LOOPS:
            wanted += [(self.sources / name, 'as-is') for name in LOOPS]
        for source, headers in wanted:
            if source in self.made:
                continue
            done = self.compile(source, headers)
            if done.returncode != 0:
                return done.stdout
            self.made.add(source)
        return None

    def link(self, program):
        changed = [HEADERS_C] + [pathlib.Path(name).name
            for name in LOOPS if program in WITH_LOOPS]
        return run(self.cc + ['-Wl,-z,muldefs', '-o', str(self.folder / ('test-' + program))] +
            [str(self.object(name)) for name in changed] +
            [str(self.sources / (program + '.o')), str(self.sources / 'rest.a')] +
            flags_of('--libs') + ['-lm'])

    def code(self):
        """What all headers compile to, or None if they don't."""
        self.made.clear()
        done = self.compile(self.folder / HEADERS_C, 'replaceable', '-O2')
        return self.object(HEADERS_C).read_bytes() if done.returncode == 0 else None

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
        self.right = Place(folder / 'right', cc)
        self.free = queue.SimpleQueue()
        for i in range(jobs):
            self.free.put(Place(folder / str(i), cc))
        self.compile_rest(jobs)
        self.code = self.right.code()
        if self.code is None:
            sys.exit('the headers do not compile')
        for program in PROGRAMS:
            if self.right.tries(program) != 'survives':
                sys.exit(f'the test {program} fails without a mutant')

    def compile_rest(self, jobs):
        parts = sorted('verify/' + p.name for p in (self.sources / 'verify').glob('*.c'))
        parts = [part for part in parts + ARCHIVED if part not in LOOPS]
        objects = {part: self.sources / (part.replace('/', '-') + '.o') for part in parts}
        tests = {f'tests/{program}.c': self.sources / (program + '.o') for program in PROGRAMS}
        command = self.right.cc + ['-O1', '-fPIC', '-c', '-I' + str(self.right.folder /
            'replaceable'), '-I' + str(self.sources), '-o']
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for done in pool.map(lambda pair: run(command + [str(pair[1]), str(self.sources /
                    pair[0])]), (objects | tests).items()):
                if done.returncode != 0:
                    sys.exit(done.stdout)
        run(['ar', 'rcs', str(self.sources / 'rest.a')] + [str(path) for path in objects.values()])

    def verdict(self, mutant):
        place = self.free.get()
        try:
            place.write(mutant.header, mutant.text)
            return self.try_in(place, PROGRAMS_OF.get(mutant.header, ALWAYS))
        finally:
            place.write(mutant.header,
                (self.sources / 'policies' / mutant.header).read_text(encoding='utf-8'))
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
