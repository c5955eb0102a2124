// A vectored read fills a variable that another thread writes: which of the two is last decides what is left there.
// says: is false
// bound none: assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/uio.h>

static int file;
static volatile int number;

static void *fill(void *unused)
{
    struct iovec part = {(void *)&number, sizeof number};
    ssize_t got = preadv(file, &part, 1, 0);
    assert(got == sizeof number);
    return unused;
}

static void *set(void *unused)
{
    number = 2;
    return unused;
}

int main(void)
{
    pthread_t one, two;
    const int one_there = 1;
    FILE *stream = tmpfile();
    assert(stream);
    fwrite(&one_there, sizeof one_there, 1, stream);
    fflush(stream);
    file = fileno(stream);
    pthread_create(&one, NULL, fill, NULL);
    pthread_create(&two, NULL, set, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(number == 2);
    return 0;
}
