// Two threads make keys: which of them gets the first number depends on who comes first.
// bound none: assertion
// bound preemption:1: assertion
#include <assert.h>
#include <pthread.h>

static pthread_key_t key[2];

static void *make(void *place)
{
    pthread_key_create(place, NULL);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, make, &key[0]);
    pthread_create(&two, NULL, make, &key[1]);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(key[0] < key[1]);
    return 0;
}
