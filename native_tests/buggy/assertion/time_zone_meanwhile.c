// The time zone changes while main asks for the local time.
// bound none: assertion
// bound preemption:1: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *move(void *unused)
{
    setenv("TZ", "XYZ-5", 1);
    tzset();
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct tm parts;
    setenv("TZ", "UTC0", 1);
    tzset();
    pthread_create(&thread, NULL, move, NULL);
    localtime_r(&(time_t){0}, &parts);
    pthread_join(thread, NULL);
    assert(parts.tm_hour == 0);
    return 0;
}
