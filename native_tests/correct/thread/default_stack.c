// Threads that are made without attributes have the stack that the program has made the default.
// expect: pass
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>

enum { ROOM = 20 << 20 };

static void *use(void *unused)
{
    volatile char room[ROOM];
    memset((char *)room, 1, sizeof room);
    assert(room[ROOM - 1] == 1);
    return unused;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 2 * ROOM);
    assert(pthread_setattr_default_np(&attributes) == 0);
    pthread_create(&thread, NULL, use, NULL);
    return pthread_join(thread, NULL);
}
