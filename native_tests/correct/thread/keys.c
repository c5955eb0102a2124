// A deleted key's destructor does not run, a new key starts with null in every thread, a destructor that always sets a new value
// is called a bounded number of times.
// bound none: pass, traces 1
#include <assert.h>
#include <limits.h>
#include <pthread.h>

static pthread_key_t deleted, stubborn;
static int of_deleted, of_stubborn;

static void count_deleted(void *value)
{
    (void)value;
    of_deleted++;
}

static void set_again(void *value)
{
    of_stubborn++;
    pthread_setspecific(stubborn, value);
}

static void *set_both(void *unused)
{
    pthread_setspecific(deleted, &of_deleted);
    pthread_setspecific(stubborn, &of_stubborn);
    assert(pthread_key_delete(deleted) == 0);
    return unused;
}

static void *find_null(void *key)
{
    assert(pthread_getspecific(*(pthread_key_t *)key) == NULL);
    return NULL;
}

static void in_another_thread(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    pthread_create(&thread, NULL, function, argument);
    pthread_join(thread, NULL);
}

int main(void)
{
    pthread_key_t fresh;
    assert(pthread_key_create(&deleted, count_deleted) == 0);
    assert(pthread_key_create(&stubborn, set_again) == 0);
    in_another_thread(set_both, NULL);
    assert(of_deleted == 0);
    assert(of_stubborn == PTHREAD_DESTRUCTOR_ITERATIONS);
    assert(pthread_key_create(&fresh, NULL) == 0);
    assert(pthread_getspecific(fresh) == NULL);
    assert(pthread_setspecific(fresh, &fresh) == 0);
    in_another_thread(find_null, &fresh);
    return 0;
}
