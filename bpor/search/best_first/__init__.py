"""Best-first search (GAMBIT): an execution tree with a fringe of open choices, taken in an order of the user's choosing.

node.py       a state of the execution tree, kept only while something below it is open
priority.py   what makes one open choice better than another, and the text form `method:push,pb,random`
tree.py       the search over that tree
rules.py      the bounded space without reduction, with the races that `dpor` looks for noted
"""
