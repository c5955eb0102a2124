// time, gettimeofday, clock_gettime and timespec_get tell one time, which never goes back and moves by what was slept.
// args: 100
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long seconds;

static double real(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *compare(void *unused)
{
    struct timespec spec, resolution;
    struct timeval value;
    for (int i = 0; i < 2; i++) {
        double before = real();
        gettimeofday(&value, NULL);
        assert(timespec_get(&spec, TIME_UTC) == TIME_UTC);
        double after = real();
        double of_day = (double)value.tv_sec + (double)value.tv_usec / 1e6;
        double utc = (double)spec.tv_sec + (double)spec.tv_nsec / 1e9;
        assert(before - 1e-5 <= of_day && of_day <= utc + 1e-5 && utc <= after + 1e-5);
        time_t coarse = time(NULL);
        assert((double)coarse >= before - 2 && (double)coarse <= real() + 1);
        sleep((unsigned)seconds);
        assert(real() - after >= (double)seconds);
    }
    assert(clock_getres(CLOCK_MONOTONIC, &resolution) == 0);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    seconds = argc > 1 ? atol(argv[1]) : 0;
    pthread_create(&thread, NULL, compare, NULL);
    pthread_join(thread, NULL);
    return 0;
}
