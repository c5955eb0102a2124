// Where an execution stands in its output does not depend on what earlier ones wrote.
// bound none: pass, traces 2
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    off_t before = lseek(1, 0, SEEK_CUR); // -1: a terminal or a pipe
    assert(before <= 0);
    assert(write(1, "hello\n", 6) == 6);
    assert(before < 0 || lseek(1, 0, SEEK_CUR) == 6);
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
