// The first execution fails; in a later one two threads share the environment. A search that goes on after a bug ends all the same.
// options: --keep-going
// bound preemption:0: exit
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int first;

static void *set(void *unused)
{
    pthread_mutex_lock(&mutex);
    first = 1;
    pthread_mutex_unlock(&mutex);
    setenv("BY_THE_FIRST", "1", 1);
    return unused;
}

static void *look(void *unused)
{
    pthread_mutex_lock(&mutex);
    int late = first;
    pthread_mutex_unlock(&mutex);
    if (late)
        exit(7);
    getenv("BY_THE_FIRST");
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, set, NULL);
    pthread_create(&other, NULL, look, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
