// What a thread holds in vector registers, in flags and below its stack pointer is there when it goes on, whatever ran in between.
// machine: x86_64
// options: --machine-code=auto
// bound none: pass
#include <pthread.h>

static int shared;

static long keeps(double seed)
{
    long bad = 0;
    __asm__ volatile("movq %1, %%xmm7\n movq %1, %%xmm15\n fldl (%2)\n"
                     "movq $77, -64(%%rsp)\n"
                     "stc\n"
                     "lock; incl %3\n" /* keeps the carry */
                     "adc $0, %0\n"
                     "sub $1, %0\n"
                     "movq %%xmm7, %%rax\n movq %%xmm15, %%rcx\n movq %1, %%rdx\n"
                     "xor %%rdx, %%rax\n xor %%rdx, %%rcx\n or %%rax, %0\n or %%rcx, %0\n"
                     "movq -64(%%rsp), %%rax\n sub $77, %%rax\n or %%rax, %0\n"
                     "fstpl -72(%%rsp)\n movq -72(%%rsp), %%rax\n xor %%rdx, %%rax\n or %%rax, %0\n"
                     : "+r"(bad)
                     : "x"(seed), "r"(&seed), "m"(shared)
                     : "rax", "rcx", "rdx", "xmm7", "xmm15", "memory", "cc");
    return bad;
}

static void *work(void *seed)
{
    return (void *)keeps(*(double *)seed);
}

int main(void)
{
    double seed[2] = {1.5, -2.25};
    pthread_t thread[2];
    void *bad[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, &seed[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], &bad[i]);
    return bad[0] || bad[1] || shared != 2;
}
