// A thread gives main a name, which main may ask for before.
// bound none: assertion
// bound preemption:1: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

static void *name(void *thread)
{
    pthread_setname_np(*(pthread_t *)thread, "given");
    return NULL;
}

int main(void)
{
    pthread_t thread, self = pthread_self();
    char found[16];
    prctl(PR_SET_NAME, "first");
    pthread_create(&thread, NULL, name, &self);
    prctl(PR_GET_NAME, found);
    pthread_join(thread, NULL);
    assert(strcmp(found, "given") == 0);
    return 0;
}
