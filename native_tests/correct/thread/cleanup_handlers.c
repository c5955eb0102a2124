// pthread_exit runs the cleanup handlers, the last pushed first, under control: one of them unlocks the mutex main waits for.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 1
// bound preemption:1: pass, traces 2
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char order[8];

static void note(void *letter)
{
    strcat(order, letter);
}

static void unlock(void *locked)
{
    strcat(order, "u");
    pthread_mutex_unlock(locked);
}

static void leave(void)
{
    pthread_exit((void *)1);
}

static void *exit_inside(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    pthread_cleanup_push(note, "x");
    pthread_cleanup_push(note, "b");
    leave();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *value;
    pthread_create(&thread, NULL, exit_inside, NULL);
    pthread_mutex_lock(&mutex);
    assert(strcmp(order, "") == 0 || strcmp(order, "bxu") == 0);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, &value);
    assert(value == (void *)1);
    assert(strcmp(order, "bxu") == 0);
    return 0;
}
