// Two pairs of threads, each with a pipe of its own: nothing of one pair conflicts with the other, one trace.
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int pipes[2][2];

static void *send(void *number)
{
    assert(write(pipes[(long)number][1], "x", 1) == 1);
    return NULL;
}

static void *receive(void *number)
{
    char byte;
    assert(read(pipes[(long)number][0], &byte, 1) == 1);
    return NULL;
}

int main(void)
{
    pthread_t thread[4];
    for (long i = 0; i < 2; i++) {
        assert(pipe(pipes[i]) == 0);
        pthread_create(&thread[2 * i], NULL, receive, (void *)i);
        pthread_create(&thread[2 * i + 1], NULL, send, (void *)i);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
