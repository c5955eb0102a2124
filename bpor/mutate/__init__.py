"""Which synchronisation is not covered by any test? One lock, wait or signal at a time is removed, and a search shows whether some schedule
then fails.

calls.py   the call instructions of a program, by name; a copy with some of them made empty
sites.py   which calls synchronise in this program's executions, and which unlock belongs to which lock
orders.py  memory orders and fences, each made weaker by the runtime at its call site
mutants.py a mutant per critical section, wait, signal, post, barrier, join; what the search says of each
Invariant: the program itself is never touched, and a call is changed only if it is proved to be the one that was meant.
"""
