// A thread is joined, then joined again by the join that does not wait.
// says: joined twice
// bound none: misuse
#define _GNU_SOURCE
#include <pthread.h>

static void *nothing(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    pthread_tryjoin_np(thread, NULL);
    return 0;
}
