// Threads have names of their own: given by others and by themselves, inherited from the creator, at most 15 letters.
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

static void is_called(pthread_t thread, const char *expected)
{
    char name[16];
    assert(pthread_getname_np(thread, name, sizeof name) == 0);
    assert(strcmp(name, expected) == 0);
}

static void *work(void *name)
{
    is_called(pthread_self(), "the main one");
    assert(pthread_setname_np(pthread_self(), name) == 0);
    is_called(pthread_self(), name);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    char small[4];
    assert(pthread_setname_np(pthread_self(), "the main one") == 0);
    pthread_create(&thread[0], NULL, work, "first");
    pthread_create(&thread[1], NULL, work, "second");
    assert(pthread_setname_np(pthread_self(), "sixteen letters!") == ERANGE);
    assert(pthread_getname_np(pthread_self(), small, sizeof small) == ERANGE);
    is_called(pthread_self(), "the main one");
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
