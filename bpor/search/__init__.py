"""The search: which schedules to run, and what the runs prove.

    explorer.py   the one loop: strategy -> executor -> strategy          budget.py    when to stop
    strategy.py   what a search is to the loop                            registry.py  searches by name
    bounds/       the bound grammar, and one rule per kind of bound       strategies/  one file per search
    engine/       the depth-first tree behind bpor, dpor, dfs and delay   livelock.py  long executions, judged
    best_first/   the same tree in any order                              comparison.py  several searches side by side
    cycles/       the same tree with states that are recognised: it ends in endless loops, and judges livelocks
    graphs/       happens-before graphs as values: cb_por/, cartesian/    optimal/     wakeup trees
    coverage.py   what may be claimed: levels and statements              tally.py, distinct.py, estimate.py: the numbers

Invariant: nothing here knows how programs are run; programs exist only behind bpor.model.executor.Executor.
"""
