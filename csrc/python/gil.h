/* The interpreter's global lock.
 *
 * Two mutexes and two conditions inside the interpreter, which no symbol names: found by behaviour, from the calls of one
 * PyEval_SaveThread/PyEval_RestoreThread pair. Modelled as one lock (model/gil.c): a thread that wants it is enabled only when it
 * is free, so the interpreter never reaches its timed wait and the switch interval does not matter. Under `--gil off` it is no
 * lock at all: whoever is left lets go of it, whoever goes on has it back. */
#ifndef BPOR_GIL_H
#define BPOR_GIL_H
#include "runtime/runtime.h"
#include <pthread.h>

struct gil {
    bool interpreter;   /* there is one in this process */
    bool free_threaded; /* a build that can do without; its objects look different */
    bool absent;        /* and does */
    bool watching;      /* the pair is being called: note what it does */
    const void *mutex;
    const void *condition;
    const void *switch_mutex;
    const void *switch_condition;
    uint16_t holder; /* BPOR_NO_THREAD: free */
    bool dropping;   /* the holder said so; it is free once the mutex is unlocked */
};
extern struct gil bpor_gil;

/* Is this mutex or condition a part of it? */
static inline bool bpor_gil_concerns(const void *part)
{
    return bpor_gil.watching || (bpor_gil.mutex && (part == bpor_gil.mutex || part == bpor_gil.switch_mutex ||
                                                    part == bpor_gil.condition || part == bpor_gil.switch_condition));
}

int bpor_gil_lock(pthread_mutex_t *mutex, const void *site);
int bpor_gil_unlock(pthread_mutex_t *mutex, const void *site);
int bpor_gil_signal(pthread_cond_t *condition);

/* Is there an interpreter, and is it a build that can do without? */
void bpor_gil_look(void);
/* At the fork point, by a thread that holds it. */
void bpor_gil_find(void);
/* An interpreter that cannot be understood is told by its first execution: before that nobody listens. */
void bpor_gil_refuse(const char *why);
void bpor_gil_begin_execution(void);
/* By its holder: whoever wants it may have it first. */
void bpor_gil_offer(void);
/* --gil off: around a switch to another thread. */
void bpor_gil_let_go(struct thread *thread);
void bpor_gil_take_back(struct thread *thread);
/* It is absent, or simulated to be: threads of Python run at the same time. */
bool bpor_gil_is_off(void);
#endif
