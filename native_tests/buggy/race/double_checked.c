// Double-checked initialisation with a plain pointer. The first thread writes it under the mutex, the second looks at it without:
// nothing orders the two, so it is a race without any preemption, one thread after the other.
// compiler: bpor
// bound preemption:0..3: race
#include <pthread.h>
#include <stddef.h>

struct config {
    int size;
};
static struct config the_one, *config;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct config *get(void)
{
    if (config == NULL) {
        pthread_mutex_lock(&mutex);
        if (config == NULL) {
            the_one.size = 4;
            config = &the_one;
        }
        pthread_mutex_unlock(&mutex);
    }
    return config;
}

static void *use(void *unused)
{
    return get()->size == 4 ? NULL : unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
