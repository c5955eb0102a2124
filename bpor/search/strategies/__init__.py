"""One file per search. registry.py knows them by name."""
