"""Optimal DPOR (Abdulla, Aronis, Jonsson, Sagonas, JACM 2017): source sets and wakeup trees, one execution per trace and none redundant.

wakeup.py   wakeup trees: the beginnings of executions that are still to be run at a state
races.py    the reversible races of a finished execution, each with the beginning that reverses it
second.py   the second step of a race
timeouts.py which timeouts of idle states may come first, and make a difference
span.py     what a timeout brings about
past.py     the steps of an execution by what they touch
reach.py    could a thread have run in another state? What an execution tells of that
question.py what only an execution can tell
order.py    which of the beginnings that wait at a state comes next
node.py     a state on the stack
follower.py a beginning followed step by step, where its steps may turn out otherwise
search.py   the search
"""
