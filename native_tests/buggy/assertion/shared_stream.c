// Two threads read one stream: each takes what the other then does not find, though no call reaches the file itself.
// says: is false
// bound none: assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *stream;
static int first;

static void *take(void *letter)
{
    *(int *)letter = fgetc(stream);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    int second;
    stream = tmpfile();
    assert(stream);
    fputs("ab", stream);
    rewind(stream);
    pthread_create(&one, NULL, take, &first);
    pthread_create(&two, NULL, take, &second);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(first == 'a' && second == 'b');
    return 0;
}
