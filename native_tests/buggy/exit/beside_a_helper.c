// A process that was started before the threads is needed, and waited for, by every execution: each has one of its own.
// options: --fork-at=first-thread
// bound preemption:1: exit
#include <pthread.h>
#include <stdio.h>

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
    FILE *helper = popen("cat >/dev/null", "w");
    int result = test();
    if (helper == NULL || fputs("x", helper) < 0 || pclose(helper) != 0)
        return 2;
    return result;
}
