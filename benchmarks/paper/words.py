"""What the page says between its tables. Nothing here is a number of ours: those are measured."""

from __future__ import annotations

INTRODUCTION = """\
# The papers' experiments, repeated

Written by `make paper`; do not edit. Each search had at most {most} executions, without a bound ten times as many; `>` marks one that
did not finish with them. Counts of finished searches repeat on any machine, times do not. The papers are Coons, Musuvathi, McKinley,
*Bounded Partial-Order Reduction* (2013); Coons' dissertation (2013), to which figures and tables without another name belong;
Musuvathi, Qadeer, *Partial-Order Reduction for Context-Bounded State Exploration* (CB-POR, 2007); Gueta, Flanagan, Yahav, Sagiv,
*Cartesian Partial-Order Reduction* (2007); and the documentation of a checker with wakeup trees. The programs of the dissertation and
of CB-POR are Microsoft's and were not published: ours do what the text says of them, and results are compared by their shape. Those of
the Cartesian paper are in it, and results are compared number by number."""

CLAIMS = """\
Each claim with the answer this run gave. Only searches that finished, or ran long enough to tell, are compared."""

PROGRAMS = """\
Ours are smaller, so that a search takes seconds where the dissertation allowed hours. What matters is kept: the event is waited for
without its lock first, and set, reset and set again; every thread of the FFT takes the one lock once; the dispatcher of the exceptions
polls and yields, but not for ever; the threads of the last one poll each other for ever."""

PLAIN = """\
How much of the state space each bounded search without any reduction reaches, and how long it takes; DPOR, which reaches all of it, is
the level line. Figure 6 of BPOR 2013 shows the same. There is no plain search within context bounds in this tool."""

COVERAGE = """\
Across: the share of all local states that was reached (their number, where no search finished that could tell). Up: seconds. One point
for each value of the bound, and only for searches that finished; the level lines are DPOR without and with its optimisations. Figure 7
of BPOR 2013 shows the panels of the preemption and the fair bound. The second plot is Figures 8.5 to 8.8: steps made over local states
found, so 1 is a search that never comes to a local state it knows. In the tables: executions · share of the local states · visited /
unique.

Where the shape differs from the published one, this is why. *BPOR* here is the algorithm with its errata mended
([errata](algorithm.md#15-errata-where-we-differ-from-the-papers-and-why)), without any optimisation. On the FFT it pays for its
conservative points from bound 1 on, as published, and the optimised one pays nothing: nobody needs a preemption there, the bound
optimisation notices that nothing was refused, and one execution for each trace is left. The sleep sets are not the published ones,
which miss states (E3, E4). The local context bound counts something else than the published one, which is not a function of the trace
(E14). Unbounded DPOR without its optimisations is the published Algorithm 7, without the sleep sets that the dissertation always adds,
and does not finish."""

SWITCHES = """\
Executions · visited / unique local states, at the smallest bound, at the first that reaches half of the local states and at the largest
that the reduction finishes without any optimisation. The dissertation's fifth optimisation, the alternative thread, is not in this
tool: it gained at most 0.5 %. The release optimisation is sound without a preemption or fair bound only (E7), and changes nothing
within one."""

BUGS = """\
Executions until the first failing one (and time). *Bounded* is depth-first search without reduction within the bound that the table
names. *Fewest preemptions first* and *random* are best-first search over what DPOR explores, random the mean of three draws; *new
partial orders first* is best-first search over the bounded schedules, those first that DPOR would explore and that do not sleep. Small
programs favour unbounded reduction; the dissertation's have up to 12,156 steps."""

PUBLISHED_BUGS = """\
The published Table 8.2, in seconds; an empty cell is a search that does not find the bug, because it takes three hours or cannot search
circles. The first three programs were searched within preemption bounds, the others within fair and preemption bounds."""

QUEUE = """\
Terminal executions of plain search within a preemption bound (cb-dfs) and of CB-POR, on a queue in C that follows the description: a
circular buffer, an owner that puts and takes, a thief. The paper's has a thousand lines of C++. *In vain*: executions that stop at a
state that is known, of which theorem 4 promises none.

Here no execution is in vain; where only an execution can tell whether a thread could go on, one may be
([why](searches.md#what-each-claim-rests-on)). The published columns are nearly equal up to bound 2, ours are not: there every access of
one thread conflicts with one of the other, while ours also reads what only its own thread writes (the thief its head) and takes a lock
that the other one rarely wants, so that preempting a little earlier or later is often the same trace."""

CARTESIAN = """\
States / transitions, published and here. *Here* are Figures 6 and 7 of the paper on its own programs, as transition systems
(`benchmarks/paper/cartesian`); an empty cell is one that is empty in the paper, or has more states than this run allowed. *This tool's
search* is the one of `--search cartesian` on the same systems: it knows threads that wait and threads that have ended, where the paper
has transitions that go round, and reaches deadlocks too (erratum E17).

Robots, shared array, shared pointer and indexer are the paper's listings. Two things the figures leave open are decided by the table
(`vector.py`): a transition that is looked at and not taken counts, and a circle is noticed one round late. The paper has no listing of
the philosophers: of the orders we tried only one has the published counts, on all eight rows: five transitions (take, take, eat, give
back, give back), for ever, and the first philosopher begins at the other side, so that there is no deadlock. Nor has it one of the file
system: of the ways to divide the text of Flanagan and Godefroid into 8 transitions several have the published counts, and one of them
is used.

CMIS differs, and cannot be decided from the text: how a thread is asked to sort and says that it is done, and what of Figure 9 is one
transition. That there are seven transitions for each state, of which four threads sort, and the states for two and for three parts come
out as published; those for four parts do not. The published transitions are 5.25 N² + 57 N + 835 for all rows with N = 4 C."""

REDUCTION = """\
The documentation of a checker with wakeup trees has a table of reductions. Its naive column is right; its other column is not the
number of traces, whatever the operations are: two threads that write one object twice each have six traces, one for each interleaving,
and a counter that is read and then written, the page's own example, has four."""

ORDERS = """\
Executions of optimal search (Abdulla, Aronis, Jonsson, Sagonas 2017), without the short ones that only ask what a thread can do in some
state. In the order `dfs` every trace is run once and nothing else; the other orders take what waits at a state in another sequence and
repeat some traces. The same documentation says that they typically repeat some 5 %."""
