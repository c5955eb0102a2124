// Two threads get descriptors, and nobody compares their numbers: one order of them is enough, and the verdict says what that takes for
// granted.
// bound none: pass, traces 1
// says: nobody compares numbers of descriptors
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static void *opens(void *unused)
{
    dup(0);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, opens, NULL);
    pthread_create(&threads[1], NULL, opens, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
