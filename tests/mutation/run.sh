#!/bin/sh
# Mutants of policies/: each is one wrong edit, and must fail a test, or be listed in survivors.txt
# with the reason why it is no mistake. All of them take half an hour or more on two cores: they are
# not part of `meson test`. With --listed, some minutes, it says whether the list is stale.
#
# usage: run.sh [--jobs N] [--listed] [--sample N [--seed S]] [HEADER...]
# Prints a table of how many mutants of each header are killed by a test, refused by the compiler,
# compiled to the same code, or survive. Exit code 1: a survivor is not listed, or a listed one is
# none.
exec python3 -B "$(dirname "$0")/mutate.py" "$@"
