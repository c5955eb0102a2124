// Returned from main in every schedule: what a parent sees of -1 is 255.
// expect: exit
// says: status 255
#include <pthread.h>

static void *work(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return -1;
}
