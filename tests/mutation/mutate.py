"""Compiles and runs the tests of each mutant of policies/; run.sh says what for."""
import collections
import concurrent.futures
import os
import pathlib
import queue
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading

import mutants

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HEADERS = ['order.h', 'remap.h', 'cluster.h', 'data_parallel.h', 'persistent.h', 'worksteal.h',
    'plan.h', 'policy.h', 'pipeline.h']
LIMIT_S = 10          # of one run; the right programs take less than one second
MEMORY_KIB = 4 << 20  # since a wrong plan may ask for any amount
# Without this, a mutant that random requests rarely meet would be killed in some runs only.
SEED = 'R02S0123456789abcdef0123456789abcdef'
FLAGS = ('-std=c11 -D_DEFAULT_SOURCE -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion '
    '-Wmissing-prototypes -Wno-missing-field-initializers -Werror').split()

# What of each test program is compiled again for a mutant, as one unit since that is three times as
# fast; the rest comes from an archive.
PLANNED = {
    'policies': ['tests/vectors/check.c', 'tests/vectors/read.c', 'tests/policies.c'],
    'walks': ['tests/vectors/read.c', 'tests/faults/expect.c', 'tests/faults/planted.c',
        'tests/faults/missing.c', 'verify/coverage.c', 'verify/walk.c', 'verify/check.c',
        'verify/finding.c', 'tests/walks.c']}
PIPELINED = {'roles': ['verify/script.c', 'tests/roles.c']}
# The others take seconds and show nothing more of the header.
ONLY = {'roles': ['-p', '/roles/places agree with the count']}


def programs(header):
    return PIPELINED if header == 'pipeline.h' else PLANNED


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        text=True)


def flags_of(word):
    return shlex.split(subprocess.check_output(['pkg-config', word, 'glib-2.0'], text=True))


class Place:
    """A folder with a copy of policies/, in which one mutant at a time is built."""

    def __init__(self, folder, cc):
        self.folder = folder
        self.sources = folder.parent / 'sources'
        self.cc = cc + FLAGS + ['-I' + str(folder), '-I' + str(self.sources)] + flags_of('--cflags')
        shutil.copytree(self.sources / 'policies', folder / 'policies')

    def object(self, name):
        return self.folder / (pathlib.Path(name).stem + '.o')

    def compile(self, source, level):
        return run(self.cc + [level, '-c', '-o', str(self.object(source)),
            str(self.sources / source)])

    def link(self, program):
        return run(self.cc + ['-o', str(self.folder / ('test-' + program)),
            str(self.object(program)), str(self.sources / 'verify.a')] + flags_of('--libs'))

    def passes(self, program):
        """Does every test of the program pass, in time?"""
        script = f'ulimit -c 0; ulimit -v {MEMORY_KIB}; exec "$0" --seed={SEED} "$@"'
        process = subprocess.Popen(['sh', '-c', script, str(self.folder / ('test-' + program))] +
            ONLY.get(program, []), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            errors='replace', env=dict(os.environ, TILESIM_SOURCE=str(self.sources)))
        alarm = threading.Timer(LIMIT_S, process.kill)
        alarm.start()
        passed = True
        for line in process.stdout:
            if line.startswith('not ok'):
                passed = False
                process.kill()
        alarm.cancel()
        return process.wait() == 0 and passed


class Bench:
    """Places for all threads, and what the right policies compile to."""

    def __init__(self, folder, jobs, cc):
        # A copy, so that the tree may change in the meantime.
        self.sources = folder / 'sources'
        for name in ('policies', 'verify', 'tests'):
            shutil.copytree(ROOT / name, self.sources / name)
        for program, parts in (PLANNED | PIPELINED).items():
            (self.sources / (program + '.c')).write_text(
                ''.join(f'#include "{part}"\n' for part in parts), encoding='utf-8')
        self.right = Place(folder / 'right', cc)
        self.free = queue.SimpleQueue()
        for i in range(jobs):
            self.free.put(Place(folder / str(i), cc))
        self.archive(folder / 'archived', jobs, cc)
        for program in PLANNED | PIPELINED:
            for step in (lambda: self.right.compile(program + '.c', '-O1'),
                    lambda: self.right.link(program)):
                done = step()
                if done.returncode != 0:
                    sys.exit(done.stdout)
            if not self.right.passes(program):
                sys.exit(f'the test {program} fails without a mutant')

    def archive(self, folder, jobs, cc):
        place = Place(folder, cc)
        parts = sorted('verify/' + p.name for p in (self.sources / 'verify').glob('*.c'))
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for done in pool.map(lambda part: place.compile(part, '-O1'), parts):
                if done.returncode != 0:
                    sys.exit(done.stdout)
        run(['ar', 'rcs', str(self.sources / 'verify.a')] + [str(place.object(p)) for p in parts])

    def verdict(self, mutant):
        place = self.free.get()
        header = place.folder / 'policies' / mutant.header
        try:
            header.write_text(mutant.text, encoding='utf-8')
            return self.try_in(place, programs(mutant.header))
        finally:
            shutil.copy(self.sources / 'policies' / mutant.header, header)
            self.free.put(place)

    def try_in(self, place, group):
        for program in group:
            # Most mutants die young: it is not worth while to optimise them.
            if place.compile(program + '.c', '-O0').returncode != 0:
                return 'refused'
            if place.link(program).returncode != 0 or not place.passes(program):
                return 'killed'
        return 'same' if all(self.same(place, program) for program in group) else 'survives'

    def same(self, place, program):
        """Does the mutant compile to the code of the right policies?"""
        return (place.compile(program + '.c', '-O1').returncode == 0 and
            place.object(program).read_bytes() == self.right.object(program).read_bytes())


def listed():
    """The keys of survivors.txt."""
    lines = (HERE / 'survivors.txt').read_text(encoding='utf-8').splitlines()
    return [line for line in lines if line and line[0] not in '#\t']


def table(found, verdicts):
    columns = ['killed', 'refused', 'same', 'survives']
    counts = collections.Counter((m.header, verdicts[m]) for m in found)
    print(f'{"header":18}{"mutants":>9}' + ''.join(f'{c:>10}' for c in columns))
    for header in dict.fromkeys(m.header for m in found):
        row = [counts[header, c] for c in columns]
        print(f'{header:18}{sum(row):9}' + ''.join(f'{n:10}' for n in row))
    row = [sum(counts[h, c] for h in HEADERS) for c in columns]
    print(f'{"all":18}{sum(row):9}' + ''.join(f'{n:10}' for n in row))
    print('refused: the compiler warns; same: compiles to the same code')


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count()
    headers = sys.argv[2:] or HEADERS
    cc = shlex.split(os.environ.get('CC', 'cc'))
    known = listed()
    alive, unknown, verdicts = set(), 0, {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(pathlib.Path(folder), jobs, cc)
        found = [m for header in headers for m in mutants.mutants(header,
            (bench.sources / 'policies' / header).read_text(encoding='utf-8'))]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for mutant, verdict in zip(found, pool.map(bench.verdict, found)):
                verdicts[mutant] = verdict
                # A compiler may also see that a listed mutant changes nothing.
                if verdict in ('survives', 'same'):
                    alive.add(mutant.key())
                if verdict == 'survives' and mutant.key() not in known:
                    unknown += 1
                    print(f'survives: {mutant.key()}', flush=True)
    stale = [key for key in known if key.split(' ')[0] in headers and key not in alive]
    for key in stale:
        print(f'killed or gone, but listed: {key}')
    table(found, verdicts)
    return 1 if unknown or stale else 0


if __name__ == '__main__':
    sys.exit(main())
