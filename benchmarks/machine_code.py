"""What patched machine code costs a plain program that computes between its locks: processor time per execution against the same unpatched.

Each kernel runs in one thread while another exists, so that every access of memory is looked at for conflicts. Prints JSON; every ratio
within one run, in processor seconds of everybody involved, less those of the same program with nothing to compute.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TRIES = 2
KERNELS = {"crc": 60_000_000, "sort": 20_000_000, "arithmetic": 100_000_000}  # rounds: some 0.1 s each
PROGRAM = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned codes[256], result;
static unsigned char text[1 << 16];
static void meet(void) { pthread_mutex_lock(&mutex); result++; pthread_mutex_unlock(&mutex); }
static int compare(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
static void crc(long rounds)
{
    unsigned sum = 1;
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)(i * 31);
    for (unsigned i = 0; i < 256; i++)
        codes[i] = i * 0x01010101u;
    for (long i = 0; i < rounds; i++)
        sum = codes[(sum ^ text[i % (long)sizeof text]) & 255] ^ sum >> 8;
    result = sum;
}
static void sort(long rounds)
{
    long count = rounds / 20 + 1;
    int *values = malloc((size_t)count * sizeof *values);
    unsigned next = 1;
    for (long i = 0; i < count; i++)
        values[i] = (int)((next = next * 1664525 + 1013904223) >> 8);
    qsort(values, (size_t)count, sizeof *values, compare);
    free(values);
}
static void arithmetic(long rounds)
{
    unsigned sum = 1;
    for (long i = 0; i < rounds; i++)
        sum = sum * 2654435761u + (unsigned)i;
    result = sum;
}
static char **arguments;
static void *compute(void *unused)
{
    static const struct { const char *name; void (*run)(long); } kernels[] = {
        {"crc", crc}, {"sort", sort}, {"arithmetic", arithmetic}};
    meet();
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, arguments[1]) == 0)
            kernels[i].run(atol(arguments[2]));
    meet();
    return unused;
}
static void *disturb(void *unused) { meet(); meet(); return unused; }
int main(int argc, char **argv)
{
    pthread_t one, other;
    arguments = argv;
    pthread_create(&other, NULL, disturb, NULL);
    pthread_create(&one, NULL, compute, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return argc != 3;
}
"""


def seconds(words: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=False, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cost(program: str, mode: str, kernel: str, rounds: int) -> float:
    """Of computing alone, in one execution."""
    words = [sys.executable, "-m", "bpor", "-q", "--state=none", "--bound=preemption:0", "--max-executions=1", "--watchdog=600"]
    least = [min(seconds([*words, f"--machine-code={mode}", program, kernel, str(count)]) for _ in range(TRIES)) for count in (0, rounds)]
    return least[1] - least[0]


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        program, source = os.path.join(directory, "compute"), os.path.join(directory, "compute.c")
        Path(source).write_text(PROGRAM)
        subprocess.run(["gcc", "-O2", "-g", "-pthread", "-o", program, source], check=True)
        os.environ["PYTHONPATH"] = str(ROOT)
        rows = {}
        for kernel, rounds in KERNELS.items():
            plain, patched = cost(program, "off", kernel, rounds), cost(program, "auto", kernel, rounds)
            rows[kernel] = {"unpatched_seconds": round(plain, 3), "patched_seconds": round(patched, 3), "ratio": round(patched / plain, 1)}
    print(json.dumps({"benchmark": "machine_code", "load": os.getloadavg()[0], "kernels": rows}, indent=2))


if __name__ == "__main__":
    main()
