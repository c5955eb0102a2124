// A lock behind a pointer to a type that nobody here knows, and memory that is freed by a function which has only an address of
// it.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct record {
    long id;
    pthread_mutex_t lock;
};

static struct opaque *handle;
static uintptr_t hidden; // no pointer by its type

static struct record *shown(void)
{
    return (struct record *)hidden;
}

static void *use(void *unused)
{
    struct record *volatile record = shown();
    pthread_mutex_lock((pthread_mutex_t *)handle);
    pthread_mutex_lock(&record->lock);
    pthread_mutex_unlock(&record->lock);
    pthread_mutex_unlock((pthread_mutex_t *)handle);
    return unused;
}

int main(void)
{
    pthread_t thread;
    hidden = (uintptr_t)calloc(1, sizeof(struct record));
    handle = calloc(1, sizeof(pthread_mutex_t));
    pthread_create(&thread, NULL, use, NULL);
    use(NULL);
    pthread_join(thread, NULL);
    free((void *)hidden);
    abort();
}
