"""Many tests as one gate: `bpor-native suite`.

config.py     bpor.toml or [tool.bpor], checked word by word      discovery.py  patterns and gtest programs -> cases; shards
gtest.py, criterion.py  what such a program contains               scheduler.py  cases over processes, a budget spread over them
baseline.py   what every test reached before                      corpus.py     findings that a team keeps, replayed first
table.py      the summary                                         processes.py  tests in processes of their own, one after the other
Invariant: a case is one search in a process of its own; nothing here decides what a search may claim.
"""
