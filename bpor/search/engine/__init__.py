"""The depth-first tree: frames on a stack, the history of the steps that lead there, and the rule of a bound.

tree.py     the tree: next plan, next trace         frame.py           one state on the stack
history.py  steps, clocks, hashes, with undo        cells.py, locks.py objects: byte ranges, who touched them, who held them
sleep.py    who need not be tried                   watch.py           what wakes a sleeping thread
rule.py     what a bound decides                    postconditions.py  a debugging aid
"""
