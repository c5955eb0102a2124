"""CB-POR (Musuvathi and Qadeer 2007): bounded search over happens-before graphs, one complete execution per terminal graph.

state.py    a state (a graph), what it costs to get there, and whether everything beyond it was run
states.py   all states by hash, costs and marks spread over them
able.py     who can go on in a state that no execution has been to
search.py   the executions
beside.py   the same search beside the program, in C
library.py  likewise in the library
"""
