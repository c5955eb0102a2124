// A thread's stack is the program's own memory: what lay there may be used when the thread has ended, and again for the next.
// bound preemption:0..1: pass
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

enum { BYTES = 1 << 18 };

static void *work(void *stack)
{
    sem_init(stack, 0, 1); /* at its end that no frame reaches */
    return NULL;
}

int main(void)
{
    void *stack = aligned_alloc(4096, BYTES);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, BYTES);
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        pthread_create(&thread, &attributes, work, stack);
        pthread_join(thread, NULL);
        sem_wait(stack);
    }
    free(stack);
    return 0;
}
