// Two threads take turns with one condition each way; whoever comes at the wrong time waits.
// bound none: pass, traces 8
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 6
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static int turn, moves;

static void *play(void *argument)
{
    int me = *(int *)argument;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        while (turn != me)
            pthread_cond_wait(&turn_changed, &mutex);
        assert(moves++ % 2 == me);
        turn = 1 - me;
        pthread_cond_signal(&turn_changed);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    int player[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, play, &player[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(moves == 4);
    return 0;
}
