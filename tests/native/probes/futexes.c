/* Runs the threads that its arguments describe: "w0 k1 a0 l0 u0" = wait at word 0, wake one at word 1, wake all at word 0, lock
 * and unlock mutex 0. No word ever changes: a wake that comes too early is lost. */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORDS = 2, THREADS = 8 };

static uint32_t word[WORDS];
static pthread_mutex_t mutex[WORDS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *run(void *script)
{
    for (const char *at = script; at[0] && at[1]; at += at[2] ? 3 : 2) {
        int which = at[1] - '0';
        if (at[0] == 'w')
            syscall(SYS_futex, &word[which], FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
        else if (at[0] == 'k')
            syscall(SYS_futex, &word[which], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        else if (at[0] == 'a')
            syscall(SYS_futex, &word[which], FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
        else if (at[0] == 'l')
            pthread_mutex_lock(&mutex[which]);
        else
            pthread_mutex_unlock(&mutex[which]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    for (int i = 1; i < argc; i++)
        pthread_create(&thread[i - 1], NULL, run, argv[i]);
    for (int i = 1; i < argc; i++)
        pthread_join(thread[i - 1], NULL);
    return 0;
}
