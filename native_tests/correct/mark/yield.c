// A loop that waits for a plain flag says so with bpor_yield: it ends under a fair bound, and alone it is an ordinary busy loop.
// bound fair:2: pass
#include "../../../bpor/include/bpor.h"
#include <pthread.h>

static volatile int flag;

static void *raise_flag(void *unused)
{
    flag = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, raise_flag, NULL);
    while (!flag)
        bpor_yield();
    pthread_join(thread, NULL);
    return 0;
}
