// Concurrency Kit's bytelock: a reader with the first number that has no slot of its own, and a writer.
#include <assert.h>
#include <ck_bytelock.h>
#include <pthread.h>

static ck_bytelock_t lock = CK_BYTELOCK_INITIALIZER;
static int value;

static void *writer(void *unused)
{
    ck_bytelock_write_lock(&lock, 1);
    value++;
    ck_bytelock_write_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    unsigned int slot = sizeof lock.readers + 1;
    assert(pthread_create(&thread, NULL, writer, NULL) == 0);
    ck_bytelock_read_lock(&lock, slot);
    assert(value == 0 || value == 1);
    ck_bytelock_read_unlock(&lock, slot);
    assert(pthread_join(thread, NULL) == 0);
    return 0;
}
