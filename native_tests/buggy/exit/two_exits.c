// Two threads end the process, each with a status of its own: whichever comes first.
// bound none: exit
// bound preemption:0: exit
#include <pthread.h>
#include <stdlib.h>

static void *leave(void *status)
{
    exit(status != NULL);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leave, "failure");
    pthread_create(&thread, NULL, leave, NULL);
    pthread_join(thread, NULL);
    return 0;
}
