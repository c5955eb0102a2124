/* Two functions with a local variable of one name: both cells are locked by a thread, and the second check fails. */
#include <assert.h>
#include <pthread.h>

struct cell {
    long value;
    pthread_mutex_t lock;
};

static void *add(void *argument)
{
    struct cell *other = argument;
    pthread_mutex_lock(&other->lock);
    other->value++;
    pthread_mutex_unlock(&other->lock);
    return NULL;
}

static void first(void)
{
    struct cell cell = {0, PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread;
    pthread_create(&thread, NULL, add, &cell);
    pthread_join(thread, NULL);
    assert(cell.value == 1);
}

static void second(void)
{
    struct cell spare = {0, PTHREAD_MUTEX_INITIALIZER}, cell = {0, PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread;
    pthread_create(&thread, NULL, add, &cell);
    pthread_join(thread, NULL);
    assert(cell.value == 2 + spare.value);
}

int main(void)
{
    first();
    second();
    return 0;
}
