// A job is done and freed while its owner has not yet begun to wait for it by a bare futex call. One preemption, before
// the wait: without it the owner waits before the worker runs.
// says: use after free: futex wait on a word in a block that T1 freed
// options: --machine-code=auto
// bound preemption:0: pass
// bound preemption:1: memory
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct job {
    atomic_uint state;
};

static struct job *job;

static void *finish(void *unused)
{
    atomic_store(&job->state, 1);
    syscall(SYS_futex, &job->state, FUTEX_WAKE, 1, NULL, NULL, 0);
    free(job);
    return unused;
}

int main(void)
{
    pthread_t thread;
    job = calloc(1, sizeof *job);
    pthread_create(&thread, NULL, finish, NULL);
    syscall(SYS_futex, &job->state, FUTEX_WAIT, 0, NULL, NULL, 0);
    pthread_join(thread, NULL);
    return 0;
}
