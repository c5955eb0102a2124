// Inner locks of a recursive mutex do not let anybody in: only the outermost pair counts, two traces.
// bound none: pass, traces 2
// bound preemption:3: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int counter;

static void add(int depth)
{
    pthread_mutex_lock(&mutex);
    int seen = counter;
    if (depth > 0)
        add(depth - 1);
    else
        counter++;
    assert(counter == seen + 1);
    pthread_mutex_unlock(&mutex);
}

static void *add_recursively(void *unused)
{
    add(2);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, add_recursively, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 2);
    return 0;
}
