// lgamma leaves the sign of the gamma function in a variable of the library, which another thread looks at.
// flags: -Wl,--no-as-needed -lm
// options: --races=explore
// with ANSWER=0, expect: assertion
// with ANSWER=1, expect: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <pthread.h>

static volatile double number = -0.5, result;

static void *compute(void *unused)
{
    result = lgamma(number);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, compute, NULL);
    int sign = signgam;
    pthread_join(thread, NULL);
    assert((sign < 0) == ANSWER);
    return 0;
}
