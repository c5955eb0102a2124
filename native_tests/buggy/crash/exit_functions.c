// Two threads register what is done at exit: the last one registered is the first one called, and it may not be.
// says: abort
// bound none: crash
#include <pthread.h>
#include <stdlib.h>

static int closed;

static void close_it(void)
{
    closed = 1;
}

static void must_be_closed(void)
{
    if (!closed)
        abort();
}

static void *register_close(void *unused)
{
    atexit(close_it);
    return unused;
}

static void *register_check(void *unused)
{
    atexit(must_be_closed);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, register_check, NULL);
    pthread_create(&two, NULL, register_close, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
