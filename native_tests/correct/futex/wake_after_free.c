// Whoever is woken may free the word before the wake itself has happened: a wake does not look at it, and libc relies on that.
// bound none: pass
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint *word;
static sem_t done;

static void *finish(void *unused)
{
    atomic_uint *mine = word;
    sem_post(&done);
    syscall(SYS_futex, mine, FUTEX_WAKE, 1, NULL, NULL, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    word = calloc(1, sizeof *word);
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, finish, NULL);
    sem_wait(&done);
    free(word);
    pthread_join(thread, NULL);
    return 0;
}
