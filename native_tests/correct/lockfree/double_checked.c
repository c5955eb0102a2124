// Double-checked initialisation with an atomic pointer, release and acquire: no order of the two threads is a race.
// compiler: bpor
// bound preemption:0..3: pass
// bound none: pass
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct config {
    int size;
};
static struct config the_one;
static _Atomic(struct config *) config;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct config *get(void)
{
    struct config *seen = atomic_load_explicit(&config, memory_order_acquire);
    if (seen == NULL) {
        pthread_mutex_lock(&mutex);
        seen = atomic_load_explicit(&config, memory_order_relaxed);
        if (seen == NULL) {
            the_one.size = 4;
            seen = &the_one;
            atomic_store_explicit(&config, seen, memory_order_release);
        }
        pthread_mutex_unlock(&mutex);
    }
    return seen;
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
