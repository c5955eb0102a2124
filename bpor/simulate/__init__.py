"""Programs written in Python behind the Executor interface, and an exact oracle: the search is tested without a compiler.

action      what a thread may ask for, and what happened; one file per family: memory, mutex, rwlock, condition, semaphore, barrier, thread
unroll      thread code as a tree that all executions share
program     a program: its threads, its initial values; what primitives do where POSIX leaves a choice
world       the state of one execution: the one place where steps are performed
executor    runs plans (bpor.model.executor.Executor)
causality   hash-consed events: traces as values
coverage    what executions have reached, by events and by observed values
bounds      the bounds as the oracle defines them
space       true states, for searches that recognise them; place: where a thread stands
container   tables whose entries are accessed one by one or all at once
automaton   threads with loops and finitely many local states; looping: named programs of them
graph       their whole graph within a bound, and where a fair scheduler can go on for ever: the oracle of programs with loops
oracle      what can be reached within a bound, by brute force
notation    "Wx; lock | Rx" is a program; programs, errata: the named ones
"""
