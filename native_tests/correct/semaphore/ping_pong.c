// Two threads take turns by two semaphores: each step enables the next, so there is one trace.
// bound none: pass, traces 1
// bound preemption:0: pass, traces 1
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ping, pong;
static int ball;

static void *play_ping(void *unused)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(&ping);
        assert(ball++ % 2 == 0);
        sem_post(&pong);
    }
    return unused;
}

static void *play_pong(void *unused)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(&pong);
        assert(ball++ % 2 == 1);
        sem_post(&ping);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    sem_init(&ping, 0, 1);
    sem_init(&pong, 0, 0);
    pthread_create(&thread[0], NULL, play_ping, NULL);
    pthread_create(&thread[1], NULL, play_pong, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    assert(ball == 6);
    sem_destroy(&ping);
    sem_destroy(&pong);
    return 0;
}
