// funlockfile by a thread that has not locked the stream.
// says: funlockfile
// bound preemption:0: misuse
#include <pthread.h>
#include <stdio.h>

static void *unlock(void *unused)
{
    funlockfile(stdout);
    return unused;
}

int main(void)
{
    pthread_t thread;
    flockfile(stdout);
    pthread_create(&thread, NULL, unlock, NULL);
    pthread_join(thread, NULL);
    return 0;
}
