"""Memory weaker than sequential consistency: x86-TSO, and C11 without load buffering (RC11 with C++20's release sequences).

order.py   the memory orders      view.py    what a thread has seen     history.py  the stores of a location
axiom.py   which old stores seq_cst forbids                             memory.py   the machine: what an access offers, what it does
"""

from bpor.simulate.weak.memory import WeakMemory
from bpor.simulate.weak.order import Order

__all__ = ["Order", "WeakMemory"]
