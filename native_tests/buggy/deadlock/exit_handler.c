// Main ends the process with the mutex held and an exit handler wants it: a deadlock on the way out.
// bound none: deadlock
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void handler(void)
{
    pthread_mutex_lock(&mutex);
}

int main(void)
{
    atexit(handler);
    pthread_mutex_lock(&mutex);
    return 0;
}
