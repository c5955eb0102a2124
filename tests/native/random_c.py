"""Random programs over every lock, condition, semaphore and barrier: as text of a simulated program, and as the same program in C.

The text is the only source; the C is a translation of it, operation by operation. An object's name tells its kind.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from types import MappingProxyType

NO_OTHERS: Mapping[str, str] = MappingProxyType({})
KINDS = {"rwlock": "kl", "spin": "mn", "mutex": "pq", "condition": "cd", "semaphore": "st", "barrier": "b"}
_KIND_OF = {name: kind for kind, names in KINDS.items() for name in names}

_CALLS = {
    ("rdlock", "rwlock"): "pthread_rwlock_rdlock(&{})",
    ("wrlock", "rwlock"): "pthread_rwlock_wrlock(&{})",
    ("tryrdlock", "rwlock"): "pthread_rwlock_tryrdlock(&{})",
    ("trywrlock", "rwlock"): "pthread_rwlock_trywrlock(&{})",
    ("timedrdlock", "rwlock"): "pthread_rwlock_timedrdlock(&{}, &later)",
    ("timedwrlock", "rwlock"): "pthread_rwlock_timedwrlock(&{}, &later)",
    ("rdunlock", "rwlock"): "pthread_rwlock_unlock(&{})",
    ("wrunlock", "rwlock"): "pthread_rwlock_unlock(&{})",
    ("lock", "spin"): "pthread_spin_lock(&{})",
    ("trylock", "spin"): "pthread_spin_trylock(&{})",
    ("unlock", "spin"): "pthread_spin_unlock(&{})",
    ("lock", "mutex"): "pthread_mutex_lock(&{})",
    ("trylock", "mutex"): "pthread_mutex_trylock(&{})",
    ("timedlock", "mutex"): "pthread_mutex_timedlock(&{}, &later)",
    ("unlock", "mutex"): "pthread_mutex_unlock(&{})",
    ("wait", "condition"): "pthread_cond_wait(&{}, &{})",
    ("timedwait", "condition"): "pthread_cond_timedwait(&{}, &{}, &later)",
    ("signal", "condition"): "pthread_cond_signal(&{})",
    ("broadcast", "condition"): "pthread_cond_broadcast(&{})",
    ("sem_wait", "semaphore"): "sem_wait(&{})",
    ("sem_trywait", "semaphore"): "sem_trywait(&{})",
    ("sem_timedwait", "semaphore"): "sem_timedwait(&{}, &later)",
    ("post", "semaphore"): "sem_post(&{})",
    ("barrier", "barrier"): "pthread_barrier_wait(&{})",
    ("yield", ""): "sched_yield()",
    ("sleep", ""): "usleep(1)",
}
_PROLOGUE = """
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>
static pthread_rwlock_t k = PTHREAD_RWLOCK_INITIALIZER, l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t p = PTHREAD_MUTEX_INITIALIZER, q = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, d = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t m, n;
static pthread_barrier_t b;
static sem_t s, t;
static const struct timespec later = {4000000000, 0};
"""
_INIT = "pthread_barrier_init(&b, 0, 2); pthread_spin_init(&m, 0); pthread_spin_init(&n, 0); sem_init(&s, 0, 0); sem_init(&t, 0, 0);"


class Sentence:
    """Draws threads of well-formed sections. Nobody asks for a lock that he holds: libc answers some of that with EDEADLK, where a
    simulated lock blocks."""

    def __init__(self, seed: int, threads: tuple[int, int] = (2, 3), sections: tuple[int, int] = (1, 2)) -> None:
        """So many threads, at least and at most, and so many sections of each."""
        self._random, self._threads, self._sections = random.Random(seed), threads, sections

    def threads(self) -> list[list[str]]:
        return [self._thread() for _ in range(self._random.randint(*self._threads))]

    def _thread(self) -> list[str]:
        return [word for _ in range(self._random.randint(*self._sections)) for word in self._section(True)]

    def _section(self, may_nest: bool) -> list[str]:
        kind = self._random.choice(["rwlock", "spin", "mutex", "condition", "semaphore", "other"])
        inner = self._section(False) if may_nest and self._random.random() < 0.3 else []
        one = {kind: self._random.choice(names) for kind, names in KINDS.items()}
        rwlock, spin, mutex, condition, semaphore = (one[kind] for kind in ("rwlock", "spin", "mutex", "condition", "semaphore"))
        sections = {
            "rwlock": [
                [f"rdlock {rwlock}", *without(inner, rwlock), f"rdunlock {rwlock}"],
                [f"wrlock {rwlock}", *without(inner, rwlock), f"wrunlock {rwlock}"],
                [f"rdlock {rwlock}", f"rdlock {rwlock}", f"rdunlock {rwlock}", f"rdunlock {rwlock}"],
                [f"tryrdlock {rwlock}", f"if rdunlock {rwlock}"],
                [f"trywrlock {rwlock}", f"if wrunlock {rwlock}"],
                [f"timedrdlock {rwlock}", f"if rdunlock {rwlock}"],
                [f"timedwrlock {rwlock}", f"if wrunlock {rwlock}"],
            ],
            "spin": [[f"lock {spin}", *without(inner, spin), f"unlock {spin}"], [f"trylock {spin}", f"if unlock {spin}"]],
            "mutex": [
                [f"lock {mutex}", *without(inner, mutex), f"unlock {mutex}"],
                [f"trylock {mutex}", f"if unlock {mutex}"],
                [f"timedlock {mutex}", f"if unlock {mutex}"],
            ],
            "condition": [
                [f"lock {mutex}", f"wait {condition} {mutex}", f"unlock {mutex}"],
                [f"lock {mutex}", f"timedwait {condition} {mutex}", f"unlock {mutex}"],
                [f"lock {mutex}", f"signal {condition}", f"unlock {mutex}"],
                [f"signal {condition}"],
                [f"broadcast {condition}"],
            ],
            "semaphore": [[f"sem_wait {semaphore}"], [f"sem_trywait {semaphore}"], [f"sem_timedwait {semaphore}"], [f"post {semaphore}"]],
            "other": [["barrier b"], ["yield"], ["sleep"]],
        }
        return self._random.choice(sections[kind])


def without(words: list[str], name: str) -> list[str]:
    return [] if any(name in word.split()[1:] for word in words) else words


def _statement(operation: str, own: Mapping[str, str]) -> str:
    if operation in own:
        return own[operation]
    verb, *names = operation.split()
    if verb == "if":
        return f"if (last == 0) {_statement(' '.join(names), own)}"
    remember = "last = " if "try" in verb or "timed" in verb else ""
    return f"{remember}{_CALLS[verb, _KIND_OF[names[0]] if names else ''].format(*names)};"


def _body(number: int, thread: list[str], own: Mapping[str, str]) -> str:
    statements = " ".join(_statement(word, own) for word in thread)
    return f"static void *t{number}(void *unused) {{ int last = 0; (void)last; {statements} return unused; }}\n"


def c_source(threads: list[list[str]], leaves: bool = False, own: Mapping[str, str] = NO_OTHERS) -> str:
    """A main thread creates them all, and joins them or leaves by pthread_exit. `own`: words beside those known here, and their C."""
    bodies = "".join(_body(number, thread, own) for number, thread in enumerate(threads))
    numbers = range(len(threads))
    create = " ".join(f"pthread_create(&thread[{number}], 0, t{number}, 0);" for number in numbers)
    join = " ".join(f"pthread_join(thread[{number}], 0);" for number in numbers)
    end = "pthread_exit(0);" if leaves else f"{join} return 0;"
    return f"{_PROLOGUE}{bodies}int main(void) {{ pthread_t thread[{len(threads)}]; {_INIT} {create} {end} }}\n"


def text_of(threads: list[list[str]]) -> str:
    """In the notation of bpor.simulate."""
    return " | ".join("; ".join(thread) for thread in threads)
