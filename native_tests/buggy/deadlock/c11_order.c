// ABBA with C11 mutexes.
// needs: thrd_create mtx_lock
// bound preemption:0: pass, traces 2
// bound preemption:1: deadlock, traces 3
#include <threads.h>

static mtx_t a, b;

static int a_then_b(void *unused)
{
    (void)unused;
    mtx_lock(&a);
    mtx_lock(&b);
    mtx_unlock(&b);
    mtx_unlock(&a);
    return 0;
}

static int b_then_a(void *unused)
{
    (void)unused;
    mtx_lock(&b);
    mtx_lock(&a);
    mtx_unlock(&a);
    mtx_unlock(&b);
    return 0;
}

int main(void)
{
    thrd_t thread[2];
    mtx_init(&a, mtx_plain);
    mtx_init(&b, mtx_plain);
    thrd_create(&thread[0], a_then_b, NULL);
    thrd_create(&thread[1], b_then_a, NULL);
    thrd_join(thread[0], NULL);
    thrd_join(thread[1], NULL);
    return 0;
}
