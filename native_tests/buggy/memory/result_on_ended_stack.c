// A thread returns the address of a local variable, and main reads it when the thread is gone.
// compiler: bpor
// flags: -Wno-return-local-addr
// says: use of a stack that is gone
// bound preemption:0: memory
#include <pthread.h>
#include <stddef.h>

static void *work(void *unused)
{
    int result = unused == NULL;
    int *volatile address = &result;
    *address += 1;
    return address;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, &result);
    return *(int *)result == 77;
}
