"""Rules known to be wrong, kept so that the tests can be seen to notice them. Each bends one method of the reference search.

points      where backtrack points go (E1, E5, E8, E28)      sleep    who sleeps and what wakes it (E3, E4, E10, E26, E28, E48)
reduction   which races are left out (E6, E12)            time     fairness and timeouts (E11, E22, E48)
cycles      states that are recognised too readily (E31 to E39, E41); they bend bpor.search.cycles
dependence  what depends on what (E21, E23)
"""
