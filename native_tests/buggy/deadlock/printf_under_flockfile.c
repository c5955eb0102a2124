// A thread holds stdout by flockfile and joins one that prints: printf waits inside the C library, and the report shows it.
// bound preemption:0: deadlock
#include <pthread.h>
#include <stdio.h>

static void *print(void *unused)
{
    printf("from the thread\n");
    return unused;
}

int main(void)
{
    pthread_t thread;
    flockfile(stdout);
    pthread_create(&thread, NULL, print, NULL);
    pthread_join(thread, NULL);
    funlockfile(stdout);
    return 0;
}
