"""Endless schedules: a stem and a round that comes back to its state.

probe.py     executions under round robin before a search     rounds.py    the fair round in the states of one execution
find.py      the lasso in a long execution of a search
check.py     a lasso run and compared                         counters.py  rounds that are alike but for words that count
shorten.py   the same round by a shorter way                  leaving.py   can anybody leave it?
"""
