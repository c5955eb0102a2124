// A record is copied while another thread fills it, both by functions of libc: neither is done at once.
// expect: assertion
// bound preemption:0: pass
// bound preemption:1: assertion
// says: is false
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char record[200];
static volatile size_t bytes = sizeof record;

static void *fill(void *unused)
{
    memset(record, 1, bytes);
    return unused;
}

int main(void)
{
    char copy[sizeof record];
    pthread_t thread;
    pthread_create(&thread, NULL, fill, NULL);
    memcpy(copy, record, bytes);
    pthread_join(thread, NULL);
    assert(copy[0] == copy[sizeof copy - 1]);
    return 0;
}
