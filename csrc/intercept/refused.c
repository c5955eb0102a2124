/* Calls that we do not control. They are refused when they are called, with their name and what can be done instead; otherwise
 * only the watchdog would notice them. */
#define _GNU_SOURCE
#include "intercept/file_use.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void refuse_if_controlled(const char *call, const char *way_out)
{
    if (bpor_controlled())
        bpor_refuse(call, way_out);
}

static void refuse_beside_threads(const char *call, const char *way_out)
{
    if (bpor_controlled())
        bpor_refuse_beside_threads(call, way_out);
}

#define REFUSED_BY(refuse, result, name, parameters, arguments, way_out)                                                         \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        refuse(#name, way_out);                                                                                                  \
        return REAL(name) arguments;                                                                                             \
    }

#define REFUSED(result, name, parameters, arguments, way_out)                                                                    \
    REFUSED_BY(refuse_if_controlled, result, name, parameters, arguments, way_out)
#define REFUSED_BESIDE_THREADS(result, name, parameters, arguments, way_out)                                                     \
    REFUSED_BY(refuse_beside_threads, result, name, parameters, arguments, way_out)

#define NO_CANCEL "cancellation arrives at no defined point; ask the thread to stop through a flag"
#define NO_SIGNALS "waiting for signals cannot be controlled; use a condition"
#define NO_TIMERS "timers run beside the threads; use a thread that sleeps"
#define NO_RINGS "asynchronous input and output works beside the threads; use read and write"
#define NO_QUEUES "queues between processes cannot be controlled; use a queue in memory"

REFUSED(int, pthread_cancel, (pthread_t handle), (handle), NO_CANCEL)
REFUSED_BESIDE_THREADS(int, pause, (void), (), NO_SIGNALS)
/* A timer that is not set does nothing: some only ask whether there could be one. */
INTERCEPT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
    if (event && event->sigev_notify == SIGEV_THREAD)
        refuse_beside_threads("timer_create", NO_TIMERS);
    return REAL(timer_create)(clock, event, timer);
}

REFUSED_BESIDE_THREADS(int, timer_settime,
                       (timer_t timer, int flags, const struct itimerspec *restrict value, struct itimerspec *restrict old),
                       (timer, flags, value, old), NO_TIMERS)
REFUSED_BESIDE_THREADS(int, setitimer,
                       (__itimer_which_t which, const struct itimerval *restrict value, struct itimerval *restrict old),
                       (which, value, old), NO_TIMERS)
REFUSED(int, mq_send, (mqd_t queue, const char *message, size_t bytes, unsigned priority), (queue, message, bytes, priority),
        NO_QUEUES)
REFUSED(ssize_t, mq_receive, (mqd_t queue, char *message, size_t bytes, unsigned *priority), (queue, message, bytes, priority),
        NO_QUEUES)
REFUSED(int, mq_timedsend, (mqd_t queue, const char *message, size_t bytes, unsigned priority, const struct timespec *timeout),
        (queue, message, bytes, priority, timeout), NO_QUEUES)
REFUSED(ssize_t, mq_timedreceive,
        (mqd_t queue, char *restrict message, size_t bytes, unsigned *restrict priority, const struct timespec *restrict timeout),
        (queue, message, bytes, priority, timeout), NO_QUEUES)
REFUSED(int, msgsnd, (int queue, const void *message, size_t bytes, int flags), (queue, message, bytes, flags), NO_QUEUES)
REFUSED(ssize_t, msgrcv, (int queue, void *message, size_t bytes, long type, int flags), (queue, message, bytes, type, flags),
        NO_QUEUES)
REFUSED(int, semtimedop, (int set, struct sembuf *operations, size_t count, const struct timespec *timeout),
        (set, operations, count, timeout), NO_QUEUES)
REFUSED_BESIDE_THREADS(useconds_t, ualarm, (useconds_t microseconds, useconds_t interval), (microseconds, interval), NO_TIMERS)
REFUSED(int, signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags), NO_SIGNALS)
REFUSED(int, pthread_sigqueue, (pthread_t handle, int number, const union sigval value), (handle, number, value), NO_SIGNALS)
REFUSED(int, aio_read, (struct aiocb * block), (block), NO_RINGS)
REFUSED(int, aio_write, (struct aiocb * block), (block), NO_RINGS)
REFUSED(int, lio_listio, (int mode, struct aiocb *const list[restrict], int count, struct sigevent *restrict event),
        (mode, list, count, event), NO_RINGS)

/* Threads share record locks, but not these: only one that would have to wait is out of reach. */
INTERCEPT int flock(int fd, int operation)
{
    bpor_file_lock_use(fd, LOOKS | CHANGES, CALL_SITE);
    if (!bpor_controlled() || operation & LOCK_NB || operation & LOCK_UN)
        return REAL(flock)(fd, operation);
    int result = REAL(flock)(fd, operation | LOCK_NB);
    if (result != 0 && errno == EWOULDBLOCK)
        bpor_refuse("flock", "waiting for a lock of a file cannot be controlled; use a mutex");
    return result;
}

REFUSED(int, semget, (key_t key, int count, int flags), (key, count, flags), NO_QUEUES)
REFUSED(int, msgget, (key_t key, int flags), (key, flags), NO_QUEUES)

INTERCEPT mqd_t mq_open(const char *name, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    struct mq_attr *attributes = flags & O_CREAT ? va_arg(more, struct mq_attr *) : NULL;
    va_end(more);
    refuse_if_controlled("mq_open", NO_QUEUES);
    return REAL(mq_open)(name, flags, mode, attributes);
}

REFUSED(int, semop, (int set, struct sembuf *operations, size_t count), (set, operations, count), NO_QUEUES)
