"""What outlives a run: `.bpor/<test>/` with the last result, the findings and the search to go on with.

directory.py     the private directory and its tests        record.py        the last result of a test, and what was run
finding_file.py  a finding as a file that anybody may send   checkpoints.py   the search, saved once a second (sqlite)
Invariant: state that is old, damaged or somebody else's is never trusted and never an obstacle: it is named and left alone.
"""
