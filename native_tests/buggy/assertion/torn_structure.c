// A structure is copied while another thread assigns it, both by moves that the compiler puts there: neither is done at once.
// compiler: bpor
// options: --races=explore
// expect: assertion
// bound preemption:0: pass
// bound preemption:1: assertion
// says: is false
#include <assert.h>
#include <pthread.h>

struct record {
    long first, others[6], last;
};
static struct record record;

__attribute__((noinline)) static void assign(struct record *to, const struct record *from)
{
    *to = *from;
}

static void *fill(void *unused)
{
    const struct record ones = {1, {1, 1, 1, 1, 1, 1}, 1};
    assign(&record, &ones);
    return unused;
}

int main(void)
{
    struct record copy;
    pthread_t thread;
    pthread_create(&thread, NULL, fill, NULL);
    assign(&copy, &record);
    pthread_join(thread, NULL);
    assert(copy.first == copy.last);
    return 0;
}
