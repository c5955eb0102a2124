"""The referee: random programs that do what real tests do, run in every mode of the tool. All must say the same.

player/    a program in C++ that is its arguments: each word is an activity of a family (heap, files, signals, …)
player.py  builds it, plain and instrumented, and knows its words
programs.py  random programs: which words before main, in main, in each thread; how far to search
modes.py   one program in one mode: what a user would be told, and every execution
judge.py   all modes of one program against a fresh process for every execution, and against the program alone
shrink.py  the smallest program that still shows a difference
__main__.py  `python -m tests.native.referee SECONDS [SEED]`: as many as there is time for
"""
