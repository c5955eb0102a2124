// A loop that looks at the clock until 10 ms have passed ends, because looking takes (virtual) time.
// bound fair:2,preemption:1: pass
#include <pthread.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *wait_ten_milliseconds(void *unused)
{
    double deadline = now() + 0.01;
    while (now() < deadline)
        continue;
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, wait_ten_milliseconds, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
