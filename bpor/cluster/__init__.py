"""A search by the workers of a cluster (dask.distributed): `--cluster`. The search treats them like several processes on one machine
(`-j`).

address.py     which cluster is meant, and whether it may be trusted
connection.py  the cluster while it is used: its workers, and where each member of the search lives
parcel.py      the program as content: files named by their hashes
store.py       where a worker keeps such files
fitness.py     can this machine run the program as the client's does?
asked.py       files that the program asks for: are they the same there?
member.py      the process on a worker that searches
host.py        what stands on a worker between the client and that process
remote.py      a member, seen from the client
lending.py     its workers, shared out among the tests of a suite
serve.py       the process that holds a suite's cluster
testimony.py   what a member was asked and said, and another one that is asked the same
jury.py        who is repeated, and what follows where two disagree
here.py        a host on the client
recovering.py  checkpoints in memory, from which a search goes on when a worker is lost

Nothing here is imported without --cluster, and distributed is an optional dependency.
"""
