// Destructors of keys run in rounds until nothing is set any more or four rounds are over, each key once a round; a key that was
// deleted runs none.
// bound none: pass, traces 1
#include <assert.h>
#include <limits.h>
#include <pthread.h>

static pthread_key_t stubborn, twice, deleted;
static int stubborn_runs, twice_runs, order_is_right = 1;

static void never_done(void *value)
{
    stubborn_runs++;
    pthread_setspecific(stubborn, value);
}

static void done_in_two(void *value)
{
    if (twice_runs++ == 0)
        pthread_setspecific(twice, value);
    order_is_right &= twice_runs == stubborn_runs;
}

static void must_not_run(void *unused)
{
    (void)unused;
    order_is_right = 0;
}

static void *set(void *unused)
{
    int value;
    pthread_setspecific(stubborn, &value);
    pthread_setspecific(twice, &value);
    pthread_setspecific(deleted, &value);
    pthread_key_delete(deleted);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_key_create(&stubborn, never_done);
    pthread_key_create(&twice, done_in_two);
    pthread_key_create(&deleted, must_not_run);
    pthread_create(&thread, NULL, set, NULL);
    pthread_join(thread, NULL);
    assert(stubborn_runs == PTHREAD_DESTRUCTOR_ITERATIONS);
    assert(twice_runs == 2 && order_is_right);
    return 0;
}
