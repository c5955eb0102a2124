"""Programs that look round after round as if they went on for ever, and end: each keeps what ends it where it is easily overlooked."""

from __future__ import annotations

HEAD = """
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static int flag, count;
static void *one(void *);
static void *two(void *);
int main(void)
{
    pthread_t t[2];
    sem_init(&s, 0, 0);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
static void yields(void) { sched_yield(); sched_yield(); }
static int locked(int *place) { pthread_mutex_lock(&m); int is = *place; pthread_mutex_unlock(&m); return is; }
static void set(int *place) { pthread_mutex_lock(&m); *place = 1; pthread_mutex_unlock(&m); }
"""
NOTHING = "static void *two(void *u) { return u; }"
SPINS = "static void *two(void *u) { while (!locked(&flag)) sched_yield(); return u; }"
CORRECT = {
    "gives up after some tries": """
static void *one(void *u) { for (int n = 500; n--;) sched_yield(); set(&flag); return u; }
"""
    + SPINS,
    "polls under a mutex": """
static void *one(void *u) { set(&flag); return u; } static void *two(void *u) { while (!locked(&flag));
return u; }
""",
    "counts in a heap block": """
static void *one(void *u) { int *n = calloc(1, 4); while (++*n < 300) yields(); set(&flag); return u; }
"""
    + SPINS,
    "counts in a page of its own": """
static void *one(void *u) { int *n = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
while (++*n < 300) yields(); set(&flag); return u; }
"""
    + SPINS,
    "counts in thread-local memory": """
static __thread int n; static void *one(void *u) { while (++n < 300) yields(); set(&flag); return u; }
"""
    + SPINS,
    "counts in errno": """
static void *one(void *u) { for (errno = 0; errno < 90; errno++) yields(); set(&flag); return u; }
"""
    + SPINS,
    "counts far up its stack": """
static void *one(void *u) { volatile int n[2000] = {0}; while (++n[1999] < 300) yields(); set(&flag);
return u; }
"""
    + SPINS,
    "counts in a semaphore": """
static void *one(void *u) { int n = 0; do { sem_post(&s); sem_getvalue(&s, &n); } while (n < 90);
set(&flag); return u; }
"""
    + SPINS,
    "counts in a file's offset": """
static void *one(void *u) { int f = open("/proc/self/exe", O_RDONLY);
while (lseek(f, 1, SEEK_CUR) < 300) yields(); set(&flag); return u; }
"""
    + SPINS,
    "counts what it has mapped": """
static void *one(void *u) { for (int n = 0; n < 90; n++) {
(void)!mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); yields(); } set(&flag); return u; }
"""
    + SPINS,
    "waits for the clock": """
static void *one(void *u) { struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a); do { usleep(1000);
clock_gettime(CLOCK_MONOTONIC, &b); } while (b.tv_sec < a.tv_sec + 1); set(&flag); return u; }
"""
    + SPINS,
    "waits for a time of day": """
static void *one(void *u) { struct timespec t = {1767225602, 0};
while (sem_timedwait(&s, &t) && errno != ETIMEDOUT); set(&flag); return u; } static void *two(void *u) {
for (int n = 0; n < 90; n++) usleep(50000); return u; }
""",
    "is woken by a timeout": """
static void *one(void *u) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_sec++;
pthread_mutex_lock(&m); pthread_cond_timedwait(&c, &m, &t); pthread_mutex_unlock(&m); set(&flag);
return u; }
"""
    + SPINS,
    "takes turns": """
static void *one(void *u) { while (count < 200) { pthread_mutex_lock(&m); count++;
pthread_mutex_unlock(&m); sched_yield(); } return u; } static void *two(void *u) { return one(u); }
""",
    "ends the process": """
static void *one(void *u) { for (; ; ) sched_yield(); return u; } static void *two(void *u) {
sched_yield(); exit(0); return u; }
""",
    "allocates in each round": """
static void *one(void *u) { for (int n = 0; n < 90; n++) { char *b = malloc(40); yields(); free(b); }
set(&flag); return u; }
"""
    + SPINS,
    "remembers by rounding": """
static void *one(void *u) { static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}; for (;
; ) { int now = fegetround(); if (now == FE_TOWARDZERO) break;
fesetround(now == FE_TONEAREST ? modes[0] : now == modes[0] ? modes[1] : modes[2]); yields(); }
set(&flag); return u; }
"""
    + SPINS,
    "asks how long its output is": """
static __attribute__((noinline)) int enough(void) { struct stat s; fstat(1, &s); return s.st_size > 200; }
static void *one(void *u) { while (!enough()) { (void)!write(1, "0123456789", 10); yields(); } set(&flag); return u; }
"""
    + SPINS,
    "uses up processor time": """
static __attribute__((noinline)) int enough(void)
{ struct rusage r; getrusage(RUSAGE_SELF, &r); return ++flag > 200 || r.ru_minflt < 0; }
static void *one(void *u) { while (!enough()) yields(); return u; }
"""
    + NOTHING,
}
# Nobody in the program does what they wait for, and somebody else might.
WAITS_FOR_OTHERS = {
    "a file": 'while (access("/nonexistent/file", 0)) sched_yield();',
    "another file": 'for (int f; (f = open("/nonexistent/file", O_RDONLY)) < 0;) sched_yield();',
    "the contents of a file": """
char c = 0; int f = open("/proc/self/comm", O_RDONLY); do sched_yield(); while (pread(f, &c, 1, 0) == 1 && c != 1);
""",
}
