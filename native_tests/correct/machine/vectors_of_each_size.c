// Every vector register in its whole size, every mask and the x87 stack are what they were, whatever another thread had in them at the
// same instruction; so are those that the thread itself has set to zero.
// machine: x86_64
// options: --machine-code=auto
// bound none: pass
#include <pthread.h>
#include <string.h>

enum { VECTORS = 32, MASKS = 8, WORDS = 8, DEEP = 3 };
struct registers {
    unsigned long vector[VECTORS][WORDS];
    unsigned long mask[MASKS];
    double stack[DEEP];
} __attribute__((aligned(64)));

static int shared;

#define LOW ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
#define HIGH ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
#define MASK ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"
#define ACROSS(load, store)                                                                                                      \
    __asm__ volatile(load "lock; incl %2\n" store : : "r"(given), "r"(found), "m"(shared) : "memory", "cc")

static void keep_16(const struct registers *given, struct registers *found)
{
    ACROSS(LOW "movaps 64 * \\n(%0), %%xmm\\n\n.endr\n", LOW "movaps %%xmm\\n, 64 * \\n(%1)\n.endr\n");
}

static void keep_32(const struct registers *given, struct registers *found)
{
    ACROSS(LOW "vmovaps 64 * \\n(%0), %%ymm\\n\n.endr\n", LOW "vmovaps %%ymm\\n, 64 * \\n(%1)\n.endr\nvzeroupper\n");
}

static void keep_64(const struct registers *given, struct registers *found)
{
    ACROSS(LOW "vmovaps 64 * \\n(%0), %%zmm\\n\n.endr\n" HIGH "vmovaps 64 * \\n(%0), %%zmm\\n\n.endr\n" MASK
               "kmovq 2048 + 8 * \\n(%0), %%k\\n\n.endr\n",
           LOW "vmovaps %%zmm\\n, 64 * \\n(%1)\n.endr\n" HIGH "vmovaps %%zmm\\n, 64 * \\n(%1)\n.endr\n" MASK
               "kmovq %%k\\n, 2048 + 8 * \\n(%1)\n.endr\nvzeroupper\n");
}

static void keep_x87(const struct registers *given, struct registers *found)
{
    ACROSS("fldl 2112(%0)\n fldl 2120(%0)\n fldl 2128(%0)\n", "fstpl 2128(%1)\n fstpl 2120(%1)\n fstpl 2112(%1)\n");
}

static int differs(const struct registers *given, unsigned vectors, size_t bytes, unsigned masks, unsigned deep,
                   void (*keep)(const struct registers *, struct registers *))
{
    struct registers found;
    memset(&found, 0x55, sizeof found);
    keep(given, &found);
    int bad = memcmp(given->mask, found.mask, masks * sizeof given->mask[0]) != 0;
    for (unsigned i = 0; i < vectors; i++)
        bad |= memcmp(given->vector[i], found.vector[i], bytes) != 0;
    for (unsigned i = 0; i < deep; i++)
        bad |= given->stack[i] != found.stack[i];
    return bad;
}

static void *work(void *argument)
{
    unsigned long seed = *(unsigned long *)argument;
    struct registers given;
    for (unsigned i = 0; i < VECTORS * WORDS; i++)
        given.vector[i / WORDS][i % WORDS] = seed * (i + 1);
    for (unsigned i = 0; i < MASKS; i++)
        given.mask[i] = seed * (i + 1000);
    for (unsigned i = 0; i < DEEP; i++)
        given.stack[i] = (double)(seed % 1000 * (i + 1));
    long bad = differs(&given, 16, 16, 0, 0, keep_16) | differs(&given, 0, 0, 0, DEEP, keep_x87);
    if (__builtin_cpu_supports("avx2"))
        bad |= differs(&given, 16, 32, 0, 0, keep_32);
    if (__builtin_cpu_supports("avx512bw"))
        bad |= differs(&given, VECTORS, 64, MASKS, 0, keep_64);
    return (void *)bad;
}

int main(void)
{
    unsigned long seed[2] = {0x9e3779b97f4a7c15, 0};
    pthread_t thread[2];
    void *bad[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, &seed[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], &bad[i]);
    return bad[0] || bad[1];
}
