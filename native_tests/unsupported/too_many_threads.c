// More threads than the runtime has room for: refused at the pthread_create that exceeds the number, which the message tells.
// says: 1016
// expect: uncontrolled
#include <pthread.h>

static void *nothing(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 1016; i++) {
        if (pthread_create(&thread, NULL, nothing, NULL) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    return 0;
}
