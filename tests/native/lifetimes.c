/* One call on one synchronisation object after its fate: `lifetimes CALL FATE`; in a legal fate the call has to work. `lifetimes
 * list` names all cases, one per line. Without arguments the schedule chooses: the case whose number is how often T1 has run
 * before main's third operation. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

enum family { MUTEX, CONDITION, SEMAPHORE, RWLOCK, SPIN, BARRIER, ONCE, MTX, CND, FLAG };

struct box {
    long before;
    union {
        pthread_mutex_t mutex;
        pthread_cond_t condition;
        sem_t semaphore;
        pthread_rwlock_t rwlock;
        pthread_spinlock_t spin;
        pthread_barrier_t barrier;
        pthread_once_t once;
        mtx_t mtx;
        cnd_t cnd;
        once_flag flag;
    };
};

static struct box *box, *other;
static pthread_mutex_t helper = PTHREAD_MUTEX_INITIALIZER;
static int legal;
static const struct timespec past = {1, 0};

static void nothing(void)
{
}

static void init(enum family family)
{
    switch (family) {
    case MUTEX: pthread_mutex_init(&box->mutex, NULL); break;
    case CONDITION: pthread_cond_init(&box->condition, NULL); break;
    case SEMAPHORE: sem_init(&box->semaphore, 0, 1); break;
    case RWLOCK: pthread_rwlock_init(&box->rwlock, NULL); break;
    case SPIN: pthread_spin_init(&box->spin, 0); break;
    case BARRIER: pthread_barrier_init(&box->barrier, NULL, 1); break;
    case ONCE: box->once = (pthread_once_t)PTHREAD_ONCE_INIT; pthread_once(&box->once, nothing); break;
    case MTX: mtx_init(&box->mtx, mtx_plain | mtx_timed); break;
    case CND: cnd_init(&box->cnd); break;
    case FLAG: box->flag = (once_flag)ONCE_FLAG_INIT; call_once(&box->flag, nothing); break;
    }
}

static void destroy(enum family family)
{
    switch (family) {
    case MUTEX: pthread_mutex_destroy(&box->mutex); break;
    case CONDITION: pthread_cond_destroy(&box->condition); break;
    case SEMAPHORE: sem_destroy(&box->semaphore); break;
    case RWLOCK: pthread_rwlock_destroy(&box->rwlock); break;
    case SPIN: pthread_spin_destroy(&box->spin); break;
    case BARRIER: pthread_barrier_destroy(&box->barrier); break;
    case MTX: mtx_destroy(&box->mtx); break;
    case CND: cnd_destroy(&box->cnd); break;
    case ONCE: case FLAG: break;
    }
}

/* What a static initialiser, a constructor or the next stack frame does: plain writes. */
static void write_anew(enum family family)
{
    switch (family) {
    case MUTEX: box->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; break;
    case CONDITION: box->condition = (pthread_cond_t)PTHREAD_COND_INITIALIZER; break;
    case RWLOCK: box->rwlock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER; break;
    case ONCE: box->once = (pthread_once_t)PTHREAD_ONCE_INIT; break;
    case FLAG: box->flag = (once_flag)ONCE_FLAG_INIT; break;
    case MTX: memset(&box->mtx, 0, sizeof box->mtx); break; /* as glibc's own mutexes begin */
    case CND: memset(&box->cnd, 0, sizeof box->cnd); break;
    default: init(family);
    }
}

static int take_mutex(void) { return legal ? pthread_mutex_lock(&box->mutex) : 0; }
static int take_mtx(void) { return legal ? mtx_lock(&box->mtx) : 0; }
static int take_spin(void) { return legal ? pthread_spin_lock(&box->spin) : 0; }
static int take_rwlock(void) { return legal ? pthread_rwlock_rdlock(&box->rwlock) : 0; }

static int mutex_lock(void) { return pthread_mutex_lock(&box->mutex); }
static int mutex_trylock(void) { return pthread_mutex_trylock(&box->mutex); }
static int mutex_timedlock(void) { return pthread_mutex_timedlock(&box->mutex, &past); }
static int mutex_clocklock(void) { return pthread_mutex_clocklock(&box->mutex, CLOCK_MONOTONIC, &past); }
static int mutex_unlock(void) { take_mutex(); return pthread_mutex_unlock(&box->mutex); }
static int mutex_destroy(void) { return pthread_mutex_destroy(&box->mutex); }
static int cond_signal(void) { return pthread_cond_signal(&box->condition); }
static int cond_broadcast(void) { return pthread_cond_broadcast(&box->condition); }
static int cond_wait(void)
{
    pthread_mutex_lock(&helper);
    return legal ? 0 : pthread_cond_wait(&box->condition, &helper);
}
static int cond_timedwait(void) { pthread_mutex_lock(&helper); return !pthread_cond_timedwait(&box->condition, &helper, &past); }
static int cond_clockwait(void)
{
    pthread_mutex_lock(&helper);
    return !pthread_cond_clockwait(&box->condition, &helper, CLOCK_MONOTONIC, &past);
}
static int cond_destroy(void) { return pthread_cond_destroy(&box->condition); }
static int semaphore_wait(void) { return sem_wait(&box->semaphore); }
static int semaphore_trywait(void) { return sem_trywait(&box->semaphore); }
static int semaphore_timedwait(void) { return sem_timedwait(&box->semaphore, &past); }
static int semaphore_clockwait(void) { return sem_clockwait(&box->semaphore, CLOCK_MONOTONIC, &past); }
static int semaphore_post(void) { return sem_post(&box->semaphore); }
static int semaphore_getvalue(void) { int value; return sem_getvalue(&box->semaphore, &value); }
static int semaphore_destroy(void) { return sem_destroy(&box->semaphore); }
static int rwlock_rdlock(void) { return pthread_rwlock_rdlock(&box->rwlock); }
static int rwlock_wrlock(void) { return pthread_rwlock_wrlock(&box->rwlock); }
static int rwlock_tryrdlock(void) { return pthread_rwlock_tryrdlock(&box->rwlock); }
static int rwlock_trywrlock(void) { return pthread_rwlock_trywrlock(&box->rwlock); }
static int rwlock_timedrdlock(void) { return pthread_rwlock_timedrdlock(&box->rwlock, &past); }
static int rwlock_timedwrlock(void) { return pthread_rwlock_timedwrlock(&box->rwlock, &past); }
static int rwlock_unlock(void) { take_rwlock(); return pthread_rwlock_unlock(&box->rwlock); }
static int rwlock_destroy(void) { return pthread_rwlock_destroy(&box->rwlock); }
static int spin_lock(void) { return pthread_spin_lock(&box->spin); }
static int spin_trylock(void) { return pthread_spin_trylock(&box->spin); }
static int spin_unlock(void) { take_spin(); return pthread_spin_unlock(&box->spin); }
static int spin_destroy(void) { return pthread_spin_destroy(&box->spin); }
static int barrier_wait(void) { return pthread_barrier_wait(&box->barrier) != PTHREAD_BARRIER_SERIAL_THREAD; }
static int barrier_destroy(void) { return pthread_barrier_destroy(&box->barrier); }
static int once_call(void) { return pthread_once(&box->once, nothing); }
static int c11_lock(void) { return mtx_lock(&box->mtx); }
static int c11_trylock(void) { return mtx_trylock(&box->mtx); }
static int c11_timedlock(void) { return mtx_timedlock(&box->mtx, &past); }
static int c11_unlock(void) { take_mtx(); return mtx_unlock(&box->mtx); }
static int c11_signal(void) { return cnd_signal(&box->cnd); }
static int c11_broadcast(void) { return cnd_broadcast(&box->cnd); }
static int c11_once(void) { call_once(&box->flag, nothing); return 0; }

static const struct call {
    const char *name;
    enum family family;
    int (*make)(void);
} calls[] = {
#define CALL(name, family) {#name, family, name}
    CALL(mutex_lock, MUTEX), CALL(mutex_trylock, MUTEX), CALL(mutex_timedlock, MUTEX), CALL(mutex_clocklock, MUTEX),
    CALL(mutex_unlock, MUTEX), CALL(mutex_destroy, MUTEX),
    CALL(cond_signal, CONDITION), CALL(cond_broadcast, CONDITION), CALL(cond_wait, CONDITION), CALL(cond_timedwait, CONDITION),
    CALL(cond_clockwait, CONDITION), CALL(cond_destroy, CONDITION),
    CALL(semaphore_wait, SEMAPHORE), CALL(semaphore_trywait, SEMAPHORE), CALL(semaphore_timedwait, SEMAPHORE),
    CALL(semaphore_clockwait, SEMAPHORE), CALL(semaphore_post, SEMAPHORE), CALL(semaphore_getvalue, SEMAPHORE),
    CALL(semaphore_destroy, SEMAPHORE),
    CALL(rwlock_rdlock, RWLOCK), CALL(rwlock_wrlock, RWLOCK), CALL(rwlock_tryrdlock, RWLOCK), CALL(rwlock_trywrlock, RWLOCK),
    CALL(rwlock_timedrdlock, RWLOCK), CALL(rwlock_timedwrlock, RWLOCK), CALL(rwlock_unlock, RWLOCK), CALL(rwlock_destroy, RWLOCK),
    CALL(spin_lock, SPIN), CALL(spin_trylock, SPIN), CALL(spin_unlock, SPIN), CALL(spin_destroy, SPIN),
    CALL(barrier_wait, BARRIER), CALL(barrier_destroy, BARRIER),
    CALL(once_call, ONCE),
    CALL(c11_lock, MTX), CALL(c11_trylock, MTX), CALL(c11_timedlock, MTX), CALL(c11_unlock, MTX),
    CALL(c11_signal, CND), CALL(c11_broadcast, CND),
    CALL(c11_once, FLAG),
};

static const char *fate;
static const struct call *call;

static const char *const fates[] = {"destroyed", "freed",       "destroyed_freed", "taken", "moved",
                                    "stack",     "initialised", "written",         "reborn"};
enum { CALLS = sizeof calls / sizeof calls[0], FATES = sizeof fates / sizeof fates[0] };

static int is(const char *name)
{
    return strcmp(fate, name) == 0;
}

static void *end(void *unused)
{
    struct box local;
    if (is("stack")) {
        box = &local;
        init(call->family);
        return unused;
    }
    box = malloc(sizeof *box);
    init(call->family);
    if (is("destroyed") || is("destroyed_freed") || is("initialised") || is("written") || is("reborn"))
        destroy(call->family);
    if (is("freed") || is("destroyed_freed") || is("taken") || is("reborn"))
        free(box);
    if (is("taken")) { /* by somebody else, as libc likes to do with the same size at once */
        other = malloc(sizeof *other);
        memset(other, 0, sizeof *other);
    }
    if (is("moved"))
        other = realloc(box, 100000);
    if (is("reborn"))
        box = malloc(sizeof *box);
    if (is("initialised") || is("reborn"))
        init(call->family);
    if (is("written"))
        write_anew(call->family);
    return unused;
}

static sem_t chosen;

static void *choose(void *unused)
{
    for (int i = 0; i < CALLS * FATES; i++)
        sem_post(&chosen);
    return unused;
}

static int by_schedule(void)
{
    pthread_t chooser;
    int number;
    sem_init(&chosen, 0, 0);
    pthread_create(&chooser, NULL, choose, NULL);
    sem_getvalue(&chosen, &number);
    return number;
}

static int by_name(char **names)
{
    for (int number = 0; number < CALLS * FATES; number++)
        if (strcmp(names[0], calls[number / FATES].name) == 0 && strcmp(names[1], fates[number % FATES]) == 0)
            return number;
    exit(2);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    for (int number = 0; argc == 2 && number < CALLS * FATES; number++)
        printf("%s %s\n", calls[number / FATES].name, fates[number % FATES]);
    if (argc == 2)
        return 0;
    int number = argc == 3 ? by_name(&argv[1]) : by_schedule();
    call = &calls[number / FATES];
    fate = fates[number % FATES];
    legal = is("initialised") || is("written") || is("reborn");
    pthread_create(&thread, NULL, end, NULL);
    pthread_join(thread, NULL);
    return call->make();
}
