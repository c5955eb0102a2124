"""The papers' experiments, repeated: `make paper` writes docs/reproduction.md and its plots.

native.py          programs of this directory and of native_tests, compiled; searches run on them
coverage.py        coverage against time as a bound grows; visited against unique states
optimisations.py   each optimisation alone
bugs.py            time to known bugs
queue.py           the work-stealing queue of CB-POR
cartesian/         Table 1 of Cartesian reduction
orders.py          the orders of optimal search, and a published table of reductions
claims.py          what the papers claim, decided by the run
words.py           what the page says
document.py        the page
"""
