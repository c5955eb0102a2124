// Concurrency Kit's bytelock: a writer becomes a reader, and another one writes after it.
#include <assert.h>
#include <ck_bytelock.h>
#include <pthread.h>

static ck_bytelock_t lock = CK_BYTELOCK_INITIALIZER;
static int value;

static void *writer(void *unused)
{
    ck_bytelock_write_lock(&lock, 3);
    value++;
    ck_bytelock_write_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(pthread_create(&thread, NULL, writer, NULL) == 0);
    ck_bytelock_write_lock(&lock, 1);
    value++;
    ck_bytelock_read_lock(&lock, 1);
    ck_bytelock_read_unlock(&lock, 1);
    assert(pthread_join(thread, NULL) == 0 && value == 2);
    return 0;
}
