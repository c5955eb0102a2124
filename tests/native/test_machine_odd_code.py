"""Code that a compiler seldom writes: what is patched of it does what it did before, and what it accesses is seen."""

from __future__ import annotations

from pathlib import Path

from tests.native.test_machine_code import built
from tests.native.tool import run_inside

NARROW = """
#include <pthread.h>
static char shared;
extern char here[]; /* not moved: lea behind a short access, by a distance of 32 bits from eip */
__asm__(".text\\n.type address, @function\\naddress:\\n.cfi_startproc\\n"
        "movb (%rdi), %dl\\nleal here(%eip), %eax\\nhere: ret\\n.cfi_endproc");
unsigned address(char *);
static void *work(void *unused) { shared = 1; return unused; }
int main(void) {
    pthread_t thread; pthread_create(&thread, 0, work, 0);
    unsigned found = address(&shared); pthread_join(thread, 0); return found != (unsigned)(long)here; }
"""


def test_an_address_of_32_bits_by_distance_is_not_moved(tmp_path: Path) -> None:
    run = run_inside(built(tmp_path, NARROW, "-no-pie", "-fno-pie"), [], ["--machine-code=auto", "--bound", "none"])
    assert run.exit_code == 0 and run.report["coverage"] == "machine", run
