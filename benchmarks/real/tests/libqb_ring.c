// libqb: a ring buffer in memory between a thread that writes and one that reads.
#include <assert.h>
#include <pthread.h>
#include <qb/qbrb.h>
#include <string.h>

static qb_ringbuffer_t *ring;

static void *writer(void *unused)
{
    assert(qb_rb_chunk_write(ring, "hi", 3) == 3);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char text[8];
    ring = qb_rb_open("bpor-native-ring", 100, QB_RB_FLAG_CREATE | QB_RB_FLAG_SHARED_THREAD, 0);
    assert(ring != NULL);
    assert(pthread_create(&thread, NULL, writer, NULL) == 0);
    assert(qb_rb_chunk_read(ring, text, sizeof text, -1) == 3 && strcmp(text, "hi") == 0);
    assert(pthread_join(thread, NULL) == 0);
    qb_rb_close(ring);
    return 0;
}
