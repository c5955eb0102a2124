"""Cartesian partial-order reduction (Gueta, Flanagan, Yahav, Sagiv, SPIN 2007): a stateful search that runs each thread alone, as far as
nobody else can notice, and looks at other orders only where the last operations of two such runs conflict.

    vector.py     how far each thread may run: the cartesian vector
    together.py   moves that nobody else can ever notice, made at once: a variant of ours
    explore.py    the search over anything whose states are values
    states.py     the search over executors, whose states are happens-before graphs
    beside.py     the same beside the program, in C
    library.py    likewise in the library
"""
