// A main thread that stamps six lines with the time, sleeps and yields before it creates threads does not go round in circles: the fair
// bound keeps nobody waiting, and the check-then-act bug behind it needs one preemption.
// bound fair:2,preemption:0: pass
// bound fair:2,preemption:1..2: assertion
// bound fair:0,preemption:1: assertion
// expect: assertion
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance = 20;

static void stamp(const char *what)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    fprintf(stderr, "%ld.%09ld %s\n", (long)now.tv_sec, now.tv_nsec, what);
}

static int get(void)
{
    pthread_mutex_lock(&mutex);
    int value = balance;
    pthread_mutex_unlock(&mutex);
    return value;
}

static void set(int value)
{
    pthread_mutex_lock(&mutex);
    balance = value;
    pthread_mutex_unlock(&mutex);
}

static void *withdraw(void *unused)
{
    stamp("withdraw");
    int value = get();
    if (value >= 10)
        set(value - 10);
    return unused;
}

int main(void)
{
    pthread_t thread;
    stamp("one");
    stamp("two");
    stamp("three");
    usleep(1);
    sched_yield();
    sched_yield();
    sched_yield();
    stamp("four");
    stamp("five");
    stamp("six");
    pthread_create(&thread, NULL, withdraw, NULL);
    withdraw(NULL);
    pthread_join(thread, NULL);
    assert(balance == 0);
    return 0;
}
