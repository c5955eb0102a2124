// A recursion without end in a thread runs over its stack: a crash, reported from another stack.
// says: SIGSEGV
// bound preemption:0: crash
#include <pthread.h>

static int dig(volatile int depth)
{
    volatile char space[1024];
    space[0] = (char)depth;
    return depth < 0 ? 0 : dig(depth + 1) + space[0];
}

static void *overflow(void *result)
{
    *(int *)result = dig(1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int result;
    pthread_create(&thread, NULL, overflow, &result);
    pthread_join(thread, NULL);
    return 0;
}
