// _exit and quick_exit in a worker end the process with their status; ordinary exit handlers do not run.
// with END=_exit, bound none: pass, traces 1
// with END=_Exit, bound none: pass, traces 1
// with END=quick_exit, bound none: pass, traces 1
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef END
#define END _exit
#endif

static void fail(void)
{
    _exit(1);
}

static void *leave(void *unused)
{
    (void)unused;
    END(0);
}

int main(void)
{
    pthread_t thread;
    atexit(fail);
    pthread_create(&thread, NULL, leave, NULL);
    pthread_join(thread, NULL);
    return 1;
}
