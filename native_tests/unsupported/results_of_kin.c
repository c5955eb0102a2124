// Two threads with one function and one argument draw tickets; main takes it for granted that the first one that it made drew the first.
// options: --symmetry=same --bound none
// expect: uncontrolled
// says: T2 and T1 started alike, but returned different values to their joiner
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static intptr_t tickets;

static void *draw(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    intptr_t ticket = tickets++;
    pthread_mutex_unlock(&mutex);
    return (void *)ticket;
}

int main(void)
{
    pthread_t thread[2];
    void *first, *second;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, draw, NULL);
    pthread_join(thread[0], &first);
    pthread_join(thread[1], &second);
    assert((intptr_t)first < (intptr_t)second);
    return 0;
}
