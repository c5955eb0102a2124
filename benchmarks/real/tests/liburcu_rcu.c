// Userspace RCU: a reader, and a writer that waits for it before it frees.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <urcu/urcu-memb.h>

static int *shared;

static void *reader(void *unused)
{
    urcu_memb_register_thread();
    urcu_memb_read_lock();
    int *it = rcu_dereference(shared);
    assert(*it == 1 || *it == 2);
    urcu_memb_read_unlock();
    urcu_memb_unregister_thread();
    return unused;
}

int main(void)
{
    pthread_t thread;
    int *old = malloc(sizeof *old), *new = malloc(sizeof *new);
    *old = 1;
    *new = 2;
    shared = old;
    assert(pthread_create(&thread, NULL, reader, NULL) == 0);
    rcu_assign_pointer(shared, new);
    urcu_memb_synchronize_rcu();
    free(old);
    assert(pthread_join(thread, NULL) == 0);
    free(new);
    return 0;
}
