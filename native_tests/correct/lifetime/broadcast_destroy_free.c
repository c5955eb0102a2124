// POSIX's own example (pthread_cond_destroy): an element's condition is destroyed and its memory freed as soon as everybody who
// waits has been woken, though they have not returned yet.
// bound preemption:0..2: pass
#include <pthread.h>
#include <stdlib.h>

struct element {
    int busy;
    pthread_cond_t notbusy;
};
static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;
static struct element *element;

static void *find(void *unused)
{
    pthread_mutex_lock(&list);
    while (element != NULL && element->busy)
        pthread_cond_wait(&element->notbusy, &list);
    pthread_mutex_unlock(&list);
    return unused;
}

static void *remove_it(void *unused)
{
    pthread_mutex_lock(&list);
    struct element *gone = element;
    element = NULL;
    gone->busy = 0;
    pthread_cond_broadcast(&gone->notbusy);
    pthread_mutex_unlock(&list);
    pthread_cond_destroy(&gone->notbusy);
    free(gone);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    element = malloc(sizeof *element);
    element->busy = 1;
    pthread_cond_init(&element->notbusy, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, i < 2 ? find : remove_it, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
