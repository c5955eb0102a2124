// Two threads ask for numbers as text, which libc keeps in one place: the second overwrites what the first has not looked at.
// bound none: assertion
// bound preemption:1: assertion
#define _DEFAULT_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *write_down(void *digit)
{
    int point, sign;
    assert(*ecvt(*(int *)digit, 1, &point, &sign) == '0' + *(int *)digit);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, write_down, &(int){1});
    pthread_create(&two, NULL, write_down, &(int){2});
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
