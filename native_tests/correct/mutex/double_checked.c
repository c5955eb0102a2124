// Double-checked initialisation with an atomic flag and a mutex makes exactly one value. The inline atomic cannot be seen in a
// plain binary, so nothing is said about the number of traces.
// bound none: pass
// bound preemption:2: pass
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(int *) instance;
static int made;

static int *get(void)
{
    int *value = atomic_load(&instance);
    if (value == NULL) {
        pthread_mutex_lock(&mutex);
        value = atomic_load(&instance);
        if (value == NULL) {
            made++;
            value = malloc(sizeof *value);
            *value = 42;
            atomic_store(&instance, value);
        }
        pthread_mutex_unlock(&mutex);
    }
    return value;
}

static void *use(void *unused)
{
    assert(*get() == 42);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, use, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(made == 1);
    free(instance);
    return 0;
}
