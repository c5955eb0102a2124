// A semaphore in a request: whoever waited for it destroys and frees it at once, while the poster is still on its way out of
// sem_post. The next request gets new memory, or the old one again.
// bound preemption:0..2: pass
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static void *serve(void *request)
{
    sem_post(request);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        sem_t *request = malloc(sizeof *request);
        sem_init(request, 0, 0);
        pthread_create(&thread, NULL, serve, request);
        pthread_detach(thread);
        sem_wait(request);
        if (i)
            sem_destroy(request);
        free(request);
    }
    return 0;
}
