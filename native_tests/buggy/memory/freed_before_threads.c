// A use after free in main, before there is a second thread.
// compiler: bpor
// flags: -Wno-use-after-free
// says: use after free
// bound preemption:0: memory
#include <pthread.h>
#include <stdlib.h>

struct settings {
    int workers;
};

static void *work(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct settings *settings = malloc(sizeof *settings);
    settings->workers = 1;
    free(settings);
    for (int i = 0; i < settings->workers; i++) {
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}
