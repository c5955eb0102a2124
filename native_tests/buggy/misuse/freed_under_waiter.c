// A block is freed while a thread sleeps at a condition in it.
// says: free of a block that holds a condition on which a thread waits
// bound preemption:0: pass
// bound preemption:1: misuse
#include <pthread.h>
#include <stdlib.h>

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    int open, waiting;
};

static void *pass(void *argument)
{
    struct gate *gate = argument;
    pthread_mutex_lock(&gate->lock);
    gate->waiting = 1;
    while (!gate->open)
        pthread_cond_wait(&gate->opened, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct gate *gate = calloc(1, sizeof *gate);
    pthread_create(&thread, NULL, pass, gate);
    pthread_mutex_lock(&gate->lock);
    int waiting = gate->waiting;
    pthread_mutex_unlock(&gate->lock);
    if (waiting)
        free(gate);
    return 0;
}
