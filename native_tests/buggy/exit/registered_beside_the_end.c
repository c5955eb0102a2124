// A thread registers what is done at exit, and nobody waits for it: main may have left before.
// bound none: exit
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int saved;

static void save(void)
{
    saved = 1;
}

static void must_be_saved(void)
{
    if (!saved)
        _exit(3);
}

static void *register_save(void *unused)
{
    atexit(save);
    return unused;
}

int main(void)
{
    pthread_t thread;
    atexit(must_be_saved);
    pthread_create(&thread, NULL, register_save, NULL);
    return 0;
}
