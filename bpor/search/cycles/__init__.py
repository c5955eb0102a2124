"""The search that recognises states: it ends in programs with endless loops, and says where they can go on for ever.

After Yang, Chen, Gopalakrishnan, Kirby: "Efficient Stateful Dynamic Partial Order Reduction" (SPIN 2008) and Godefroid's sleep sets with
state matching, for bounded search too; docs/algorithm.md has the rules and the errata E31 to E41.

explored    the graph that the executions showed: states, who was enabled, steps; livelocks are judged on it
table       states whose futures are known, with what is needed of them when one is met again
tree        MatchingTree: the tree of bpor.search.engine with leaves at states that are known
rule        the bounds, where states are recognised
"""
