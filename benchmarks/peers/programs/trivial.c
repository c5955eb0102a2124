/* One thread, one operation: what a tool costs before it searches. */
#include <pthread.h>

static void *run(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    return 0;
}
