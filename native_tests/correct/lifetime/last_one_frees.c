// POSIX's example for mutexes: whoever drops the last reference unlocks, destroys and frees. The other has unlocked before it.
// bound preemption:0..2: pass
#include <pthread.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t lock;
    int references;
};

static void *drop(void *argument)
{
    struct object *object = argument;
    pthread_mutex_lock(&object->lock);
    int left = --object->references;
    pthread_mutex_unlock(&object->lock);
    if (left == 0) {
        pthread_mutex_destroy(&object->lock);
        free(object);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    struct object *object = malloc(sizeof *object);
    pthread_mutex_init(&object->lock, NULL);
    object->references = 3;
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, drop, object);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
