/* Makes the one call that its argument names, of those that are refused at the call under control, beside a thread that waits. */
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

int pthread_sigqueue(pthread_t, int, const union sigval);

static sigset_t set;
static struct timespec none;
static char text[8];
static struct aiocb block;
static struct sembuf down;
static struct itimerval interval;
static struct itimerspec later = {.it_value = {100, 0}};
static struct sigevent by_thread = {.sigev_notify = SIGEV_THREAD};
static timer_t timer;
static sem_t never;
static int ends[2], sockets[2];
static struct iovec part = {text, 1};
static struct mmsghdr several = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};

#define CALL(name, arguments)                                                                                                    \
    if (strcmp(argv[1], #name) == 0)                                                                                             \
        return (int)(long)(name arguments);
#define NUMBER(identifier, text)                                                                                                 \
    if (strcmp(argv[1], text) == 0)                                                                                              \
        return (int)syscall(identifier, 0, 0, 0, 0, 0, 0);

static void *wait_for_ever(void *unused)
{
    sem_wait(&never);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, wait_for_ever, NULL);
    if (argc < 2 || pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) != 0)
        return 99;
    CALL(pthread_cancel, (pthread_self()))
    CALL(pause, ())
    CALL(ualarm, (0, 0))
    CALL(timer_create, (CLOCK_REALTIME, &by_thread, &timer))
    CALL(timer_settime, (timer, 0, &later, NULL))
    CALL(setitimer, (ITIMER_REAL, &interval, NULL))
    CALL(signalfd, (-1, &set, 0))
    CALL(pthread_sigqueue, (pthread_self(), 0, (union sigval){0}))
    CALL(mq_send, (0, text, 0, 0))
    CALL(mq_timedsend, (0, text, 0, 0, &none))
    CALL(mq_receive, (0, text, 0, NULL))
    CALL(mq_timedreceive, (0, text, 0, NULL, &none))
    CALL(mq_open, ("/none", 0))
    CALL(semget, (1, 0, 0))
    CALL(msgget, (1, 0))
    CALL(semop, (0, &down, 1))
    CALL(semtimedop, (0, &down, 1, &none))
    CALL(msgsnd, (0, text, 0, 0))
    CALL(msgrcv, (0, text, 0, 0, 0))
    CALL(aio_read, (&block))
    CALL(aio_write, (&block))
    CALL(lio_listio, (LIO_WAIT, NULL, 0, NULL))
    CALL(accept, (0, NULL, NULL))
    CALL(accept4, (0, NULL, NULL, 0))
    CALL(splice, (ends[0], NULL, ends[1], NULL, 1, 0))
    CALL(tee, (ends[0], ends[1], 1, 0))
    CALL(vmsplice, (ends[1], &part, 1, 0))
    CALL(sendfile, (ends[1], 0, NULL, 1))
    CALL(recvmmsg, (sockets[0], &several, 1, 0, NULL))
    CALL(sendmmsg, (sockets[0], &several, 1, 0))
    NUMBER(SYS_clone, "syscall(SYS_clone)")
    NUMBER(SYS_clone3, "syscall(SYS_clone3)")
    NUMBER(SYS_fork, "syscall(SYS_fork)")
    NUMBER(SYS_vfork, "syscall(SYS_vfork)")
    NUMBER(SYS_exit, "syscall(SYS_exit)")
    NUMBER(SYS_futex_waitv, "syscall(SYS_futex_waitv)")
    NUMBER(SYS_io_uring_enter, "io_uring_enter")
    NUMBER(SYS_io_uring_register, "io_uring_register")
    NUMBER(SYS_io_submit, "io_submit")
    NUMBER(SYS_io_getevents, "io_getevents")
    NUMBER(SYS_rt_sigtimedwait, "syscall(SYS_rt_sigtimedwait)")
    NUMBER(SYS_rt_sigsuspend, "syscall(SYS_rt_sigsuspend)")
    NUMBER(SYS_pause, "syscall(SYS_pause)")
    NUMBER(SYS_semop, "syscall(SYS_semop)")
    NUMBER(SYS_semtimedop, "syscall(SYS_semtimedop)")
    NUMBER(SYS_msgrcv, "syscall(SYS_msgrcv)")
    NUMBER(SYS_msgsnd, "syscall(SYS_msgsnd)")
    NUMBER(SYS_mq_timedsend, "syscall(SYS_mq_timedsend)")
    NUMBER(SYS_mq_timedreceive, "syscall(SYS_mq_timedreceive)")
    NUMBER(SYS_timer_settime, "syscall(SYS_timer_settime)")
    NUMBER(SYS_setitimer, "syscall(SYS_setitimer)")
    NUMBER(SYS_alarm, "syscall(SYS_alarm)")
    fprintf(stderr, "unknown call %s\n", argv[1]);
    return 99;
}
