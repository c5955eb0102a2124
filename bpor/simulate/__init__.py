"""Programs written in Python behind the Executor interface, and an exact oracle: the search is tested without a compiler.

    action       what a thread may ask for, and what happened        memory, mutex, rwlock, condition,
    unroll       thread code as a lazily built tree                   semaphore, barrier, thread: the families
    program      a program: its threads and initial values           world        the state of one execution
    executor     runs plans (model.executor.Executor)                causality    hash-consed events: traces as values
    coverage     what a search has reached                           oracle       what can be reached, by brute force
    bounds       the bounds as the oracle defines them               notation     "Wx; lock | Rx" -> a program
    programs, errata   the named programs                            random_programs   hypothesis strategies
"""
