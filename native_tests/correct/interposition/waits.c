// Calls every function of the families that wait and prints result and errno: the same whether libc answers, libc behind our
// library, or the model. Two traces: the detached thread ends before the process does, or has no time to.
// flags: -Wl,--no-as-needed -lstdc++ -Wno-nonnull
// bound none: pass, traces 2
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

int __cxa_guard_acquire(uint64_t *);
void __cxa_guard_release(uint64_t *);
void __cxa_guard_abort(uint64_t *);

/* errno is part of the answer: what does not set it must leave it alone. */
#define TOLD(name, ...) (errno = 77, told(#name, (long)name(__VA_ARGS__)))
#define DONE(name, ...) (errno = 77, name(__VA_ARGS__), told(#name, 0))

static long told(const char *name, long result)
{
    printf("%s %ld %d\n", name, result, errno);
    return result;
}

static struct timespec past(void)
{
    return (struct timespec){1, 0};
}

static void *twelve(void *unused)
{
    (void)unused;
    return (void *)12;
}

static sem_t go;

static void *wait_for_go(void *unused)
{
    sem_wait(&go);
    return unused;
}

static int thirteen(void *unused)
{
    (void)unused;
    return 13;
}

static int exit_with_fourteen(void *unused)
{
    (void)unused;
    thrd_exit(14);
}

static void nothing(void)
{
}

static void rwlocks(void)
{
    pthread_rwlock_t lock;
    struct timespec time = past(), wrong = {0, -1};
    TOLD(pthread_rwlock_init, &lock, NULL);
    TOLD(pthread_rwlock_rdlock, &lock);
    TOLD(pthread_rwlock_tryrdlock, &lock);
    TOLD(pthread_rwlock_trywrlock, &lock);
    TOLD(pthread_rwlock_timedwrlock, &lock, &time);
    TOLD(pthread_rwlock_timedwrlock, &lock, &wrong);
    TOLD(pthread_rwlock_clockwrlock, &lock, CLOCK_MONOTONIC, &time);
    TOLD(pthread_rwlock_clockwrlock, &lock, 99, &time);
    TOLD(pthread_rwlock_unlock, &lock);
    TOLD(pthread_rwlock_unlock, &lock);
    TOLD(pthread_rwlock_wrlock, &lock);
    TOLD(pthread_rwlock_rdlock, &lock);
    TOLD(pthread_rwlock_wrlock, &lock);
    TOLD(pthread_rwlock_timedrdlock, &lock, &time);
    TOLD(pthread_rwlock_unlock, &lock);
    TOLD(pthread_rwlock_timedrdlock, &lock, &time);
    TOLD(pthread_rwlock_clockrdlock, &lock, CLOCK_REALTIME, &time);
    TOLD(pthread_rwlock_unlock, &lock);
    TOLD(pthread_rwlock_unlock, &lock);
    TOLD(pthread_rwlock_destroy, &lock);
}

/* Binaries of long ago ask for these. */
static int call_old(const char *name, const char *version, void *argument)
{
    int (*function)(void *, void *) = (int (*)(void *, void *))dlvsym(RTLD_DEFAULT, name, version);
    errno = 77;
    return (int)told(name, function ? function(argument, NULL) : -1);
}

static void old_names(void)
{
    static const char first[] = "GLIBC_2.2.5";
    static pthread_once_t done = PTHREAD_ONCE_INIT;
    pthread_rwlock_t lock;
    call_old("__pthread_rwlock_init", first, &lock);
    call_old("__pthread_rwlock_rdlock", first, &lock);
    call_old("__pthread_rwlock_tryrdlock", first, &lock);
    call_old("__pthread_rwlock_unlock", first, &lock);
    call_old("__pthread_rwlock_unlock", first, &lock);
    call_old("__pthread_rwlock_wrlock", first, &lock);
    call_old("__pthread_rwlock_trywrlock", first, &lock);
    call_old("__pthread_rwlock_unlock", first, &lock);
    call_old("__pthread_rwlock_destroy", first, &lock);
    pthread_once(&done, nothing);
    call_old("__pthread_once", first, &done);
}

static void spins_and_barriers(void)
{
    pthread_spinlock_t lock;
    pthread_barrier_t barrier;
    TOLD(pthread_spin_init, &lock, PTHREAD_PROCESS_PRIVATE);
    TOLD(pthread_spin_lock, &lock);
    TOLD(pthread_spin_trylock, &lock);
    TOLD(pthread_spin_unlock, &lock);
    TOLD(pthread_spin_trylock, &lock);
    TOLD(pthread_spin_unlock, &lock);
    TOLD(pthread_spin_destroy, &lock);
    TOLD(pthread_barrier_init, &barrier, NULL, 0);
    TOLD(pthread_barrier_init, &barrier, NULL, 1);
    TOLD(pthread_barrier_wait, &barrier);
    TOLD(pthread_barrier_destroy, &barrier);
}

static void onces(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static once_flag flag = ONCE_FLAG_INIT;
    uint64_t guard = 0, failed = 0;
    TOLD(pthread_once, &once, nothing);
    TOLD(pthread_once, &once, abort);
    DONE(call_once, &flag, nothing);
    DONE(call_once, &flag, abort);
    TOLD(__cxa_guard_acquire, &guard);
    DONE(__cxa_guard_release, &guard);
    TOLD(__cxa_guard_acquire, &guard);
    TOLD(__cxa_guard_acquire, &failed);
    DONE(__cxa_guard_abort, &failed);
    TOLD(__cxa_guard_acquire, &failed);
    DONE(__cxa_guard_abort, &failed);
    printf("guards %d %d\n", (int)(guard & 0xff), (int)(failed & 0xff));
}

static void robust(void)
{
    pthread_mutex_t mutex;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    TOLD(pthread_mutex_consistent, &mutex);
    call_old("pthread_mutex_consistent_np", "GLIBC_2.4", &mutex);
}

static void joins(void)
{
    pthread_t thread[3];
    struct timespec soon;
    void *value = NULL;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += 100;
    sem_init(&go, 0, 0);
    pthread_create(&thread[0], NULL, twelve, NULL);
    pthread_create(&thread[1], NULL, twelve, NULL);
    pthread_create(&thread[2], NULL, wait_for_go, NULL);
    TOLD(pthread_timedjoin_np, thread[0], &value, &soon);
    TOLD(pthread_clockjoin_np, thread[1], &value, 99, &soon);
    TOLD(pthread_clockjoin_np, thread[1], &value, CLOCK_REALTIME, &soon);
    printf("%ld\n", (long)value);
    TOLD(pthread_tryjoin_np, thread[2], &value);
    sem_post(&go);
    pthread_join(thread[2], NULL);
}

static void names(void)
{
    char name[64];
    snprintf(name, sizeof name, "/bpor-test-waits-%d", (int)getpid());
    errno = 0;
    told("sem_open", sem_open(name, 0) == SEM_FAILED);
    sem_t *semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    printf("sem_open %d\n", semaphore == SEM_FAILED);
    told("sem_open", sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED);
    TOLD(sem_trywait, semaphore);
    TOLD(sem_trywait, semaphore);
    TOLD(sem_close, semaphore);
    TOLD(sem_unlink, name);
    TOLD(sem_unlink, name);
    TOLD(sem_unlink, "/a/b");
}

static void c11_threads(void)
{
    thrd_t thread;
    int result = 0;
    struct timespec moment = {0, 1}, wrong = {0, -1};
    TOLD(thrd_create, &thread, thirteen, NULL);
    TOLD(thrd_join, thread, &result);
    printf("%d\n", result);
    TOLD(thrd_create, &thread, exit_with_fourteen, NULL);
    TOLD(thrd_join, thread, &result);
    printf("thrd_exit %d\n", result);
    TOLD(thrd_create, &thread, thirteen, NULL);
    TOLD(thrd_detach, thread);
    DONE(thrd_yield);
    TOLD(thrd_sleep, &moment, NULL);
    errno = 77;
    printf("thrd_sleep %d\n", thrd_sleep(&wrong, NULL));
}

static void c11_objects(void)
{
    mtx_t mutex;
    cnd_t condition;
    tss_t key;
    struct timespec time = past();
    TOLD(mtx_init, &mutex, mtx_timed);
    TOLD(mtx_lock, &mutex);
    TOLD(mtx_trylock, &mutex);
    TOLD(mtx_timedlock, &mutex, &time);
    TOLD(cnd_init, &condition);
    TOLD(cnd_timedwait, &condition, &mutex, &time);
    TOLD(cnd_signal, &condition);
    TOLD(cnd_broadcast, &condition);
    DONE(cnd_destroy, &condition);
    TOLD(mtx_unlock, &mutex);
    DONE(mtx_destroy, &mutex);
    TOLD(tss_create, &key, NULL);
    TOLD(tss_set, key, &key);
    printf("tss_get %d\n", tss_get(key) == &key);
    DONE(tss_delete, key);
}

static mtx_t flag_mutex;
static cnd_t flag_changed;
static int flag;

static int set_flag(void *unused)
{
    mtx_lock(&flag_mutex);
    flag = 1;
    cnd_signal(&flag_changed);
    mtx_unlock(&flag_mutex);
    return unused != NULL;
}

static void c11_wait(void)
{
    thrd_t thread;
    mtx_init(&flag_mutex, mtx_plain);
    cnd_init(&flag_changed);
    mtx_lock(&flag_mutex);
    thrd_create(&thread, set_flag, NULL);
    int result = thrd_success;
    while (!flag)
        result = cnd_wait(&flag_changed, &flag_mutex);
    printf("cnd_wait %d\n", result);
    mtx_unlock(&flag_mutex);
    thrd_join(thread, NULL);
}

int main(void)
{
    rwlocks();
    old_names();
    spins_and_barriers();
    onces();
    robust();
    joins();
    names();
    c11_threads();
    c11_objects();
    c11_wait();
    fflush(stdout);
    return 0;
}
