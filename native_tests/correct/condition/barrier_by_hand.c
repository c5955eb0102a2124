// A barrier of a mutex and a condition, passed twice by two threads: nobody is a round ahead. The generation makes it reusable.
// bound none: pass, traces 6
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 4
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int here, generation;

static void meet(void)
{
    pthread_mutex_lock(&mutex);
    int mine = generation;
    if (++here == 2) {
        here = 0;
        generation++;
        pthread_cond_broadcast(&all_here);
    } else {
        while (generation == mine)
            pthread_cond_wait(&all_here, &mutex);
        assert(generation == mine + 1);
    }
    pthread_mutex_unlock(&mutex);
}

static void *meet_twice(void *unused)
{
    meet();
    meet();
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, meet_twice, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(generation == 2 && here == 0);
    return 0;
}
