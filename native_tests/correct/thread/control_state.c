// What the processor keeps for a thread is its own: exceptions raised and unmasked, rounding and precision of both floating-point
// units, MMX registers in use, the base of %gs. A thread finds what its creator had when it was created, each
// execution what there was before main, and nobody what another thread left.
// machine: x86_64
// flags: -frounding-math -Wl,--no-as-needed -lm
// bound none: pass, traces 6
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <assert.h>
#include <fenv.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct state {
    uint32_t mxcsr;
    uint16_t control, status, tags;
    uint64_t gs, flags;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct state before_main, at_creation[2];
static uint64_t block[3];

static struct state look(void)
{
    uint32_t environment[7];
    struct state state;
    memset(&state, 0, sizeof state);
    __asm__ volatile("fnstenv %0\n    fldenv %0" : "=m"(environment));
    __asm__ volatile("stmxcsr %0" : "=m"(state.mxcsr));
    __asm__ volatile("pushfq\n    pop %0" : "=r"(state.flags));
    state.flags &= 1 << 18;
    state.control = (uint16_t)environment[0];
    state.status = (uint16_t)environment[1];
    state.tags = (uint16_t)environment[2];
    syscall(SYS_arch_prctl, ARCH_GET_GS, &state.gs);
    return state;
}

static void same(const struct state *expected)
{
    struct state now = look();
    assert(memcmp(&now, expected, sizeof now) == 0);
}

static void set_x87_control(uint16_t word)
{
    __asm__ volatile("fldcw %0" : : "m"(word));
}

static void first(void)
{
    volatile long double third = 1; /* x87: inexact */
    third /= 3;
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_OVERFLOW);
    fesetround(FE_DOWNWARD);
    syscall(SYS_arch_prctl, ARCH_SET_GS, &block[1]);
}

static void second(void)
{
    volatile long double third = 1;
    third /= 3;
    feclearexcept(FE_OVERFLOW);
    feraiseexcept(FE_INVALID);
    feenableexcept(FE_DIVBYZERO);
    set_x87_control(0x7f); /* single precision */
    __asm__ volatile("pxor %%mm0, %%mm0" : : : "mm0");
    syscall(SYS_arch_prctl, ARCH_SET_GS, &block[2]);
}

static void *work(void *number)
{
    same(&at_creation[(intptr_t)number]);
    (number ? second : first)();
    for (int round = 0; round < 2; round++) {
        struct state mine = look();
        pthread_mutex_lock(&mutex);
        same(&mine);
        pthread_mutex_unlock(&mutex);
        same(&mine);
    }
    return NULL;
}

__attribute__((constructor)) static void arrange(void)
{
    feraiseexcept(FE_UNDERFLOW);
    volatile long double third = 1;
    third /= 3;
    syscall(SYS_arch_prctl, ARCH_SET_GS, &block[0]);
    before_main = look();
}

int main(void)
{
    pthread_t thread[2];
    same(&before_main);
    for (intptr_t i = 0; i < 2; i++) {
        fesetround(i ? FE_UPWARD : FE_TOWARDZERO);
        at_creation[i] = look();
        pthread_create(&thread[i], NULL, work, (void *)i);
        same(&at_creation[i]);
    }
    feraiseexcept(FE_DIVBYZERO);
    struct state mine = look();
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        same(&mine);
    }
    return 0;
}
