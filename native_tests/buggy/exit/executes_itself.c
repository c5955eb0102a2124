// The program executes itself with another argument and an environment of its own, in which there is nothing of ours to be seen.
// bound preemption:1: exit
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
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

int main(int argc, char **argv)
{
    char *again[] = {argv[0], (char *)"again", NULL}, *environment[] = {(char *)"HOME=/", NULL};
    if (argc == 1)
        execve("/proc/self/exe", again, environment);
    return getenv("LD_PRELOAD") || environ[1] ? 3 : test();
}
