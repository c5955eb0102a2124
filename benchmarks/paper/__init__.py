"""The papers' experiments, repeated: `make paper` writes docs/reproduction.md and its plots.

native.py      programs of this directory and of native_tests, compiled; searches run on them
coverage.py    coverage against time as the bound grows; each optimisation alone; visited against unique states
bugs.py        time to known bugs
simulated.py   the work-stealing queue of CB-POR, Table 1 of Cartesian reduction, the orders of optimal search
document.py    the page
"""
