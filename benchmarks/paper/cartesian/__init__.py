"""Table 1 of "Cartesian Partial-Order Reduction" (Gueta, Flanagan, Yahav, Sagiv, SPIN 2007), all of its rows.

system.py      transition systems as the paper defines them; the search without reduction
vector.py      cartesian vectors and the search over them, as its Figures 6 and 7 have them
programs.py    its programs: from the listings where there are any, else the one that has the published counts
sorting.py     CMIS, the one that sorts
space.py       the same programs for the cartesian search of this tool
published.py   its figures
table.py       both side by side
"""
