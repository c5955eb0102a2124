"""Happens-before graphs as values: what a search needs that recognises a state it has been to by another way.

crew.py     threads by what they are (their creator, and its how many-th child), not by the number an execution gave them
events.py   events, interned: equal numbers are equal causal pasts, exactly
line.py     one linearisation: steps pushed and popped, with the event of each, and what the next step of a thread would be
"""
