// A fork by the number of its system call is a fork.
// bound preemption:1: exit
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void *hit(void *unused)
{
    pthread_mutex_lock(&mutex);
    int seen = hits;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    hits = seen + 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static int test(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, hit, NULL);
    pthread_create(&two, NULL, hit, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return hits == 2 ? 0 : 1;
}

int main(void)
{
    int status;
    if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0)
        _exit(test());
    return wait(&status) > 0 && status == 0 ? 0 : 1;
}
