// A thread puts another stream into stdout while one prints: it prints there or not.
// options: --races=explore
// with ANSWER=0, expect: assertion
// with ANSWER=1, expect: assertion
// with ANSWER=0, bound preemption:2: assertion
// with ANSWER=1, bound preemption:2: assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *other;

static void *replace(void *unused)
{
    stdout = other;
    return unused;
}

int main(void)
{
    FILE *first = stdout;
    pthread_t thread;
    other = tmpfile();
    pthread_create(&thread, NULL, replace, NULL);
    puts("a line");
    pthread_join(thread, NULL);
    stdout = first;
    assert((ftell(other) > 0) == ANSWER);
    return 0;
}
