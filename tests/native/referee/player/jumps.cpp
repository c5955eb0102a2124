/* Control that does not return the way it came: longjmp, contexts of one's own, deep recursion, much stack at once. */
#include "player.h"
#include <alloca.h>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

static uint64_t fallen(jmp_buf &back, unsigned depth, unsigned bottom)
{
    char frame[200];
    memset(frame, depth, sizeof frame);
    if (depth == bottom)
        longjmp(back, 1 + depth);
    if (depth > bottom)
        return 0;
    return fallen(back, depth + 1, bottom) + frame[100];
}

static uint64_t long_jump(unsigned parameter)
{
    jmp_buf back;
    int depth = setjmp(back);
    if (depth == 0)
        return fallen(back, 1, 1 + parameter % 100);
    return depth;
}

static __attribute__((noinline)) uint64_t deeper(unsigned left)
{
    volatile char frame[500];
    frame[left % 500] = left;
    return left == 0 ? 1 : deeper(left - 1) + frame[left % 500];
}

static uint64_t recursion(unsigned parameter)
{
    return deeper(50 + parameter * 17 % 1500);
}

static uint64_t much_stack(unsigned parameter)
{
    size_t bytes = 1000 + parameter * 4111 % 900000;
    auto *frame = static_cast<volatile unsigned char *>(alloca(bytes));
    for (size_t i = 0; i < bytes; i += 4096)
        frame[i] = parameter;
    return mixed(frame[0] + frame[bytes / 4096 * 4096], bytes);
}

struct Coroutine {
    ucontext_t caller, own;
    unsigned rounds;
    uint64_t value;
};

static void run_coroutine(unsigned high, unsigned low)
{
    auto *self = reinterpret_cast<Coroutine *>(static_cast<uintptr_t>(high) << 32 | low);
    for (unsigned i = 0; i < self->rounds; i++) {
        self->value = mixed(self->value, i);
        swapcontext(&self->own, &self->caller);
    }
}

static uint64_t coroutine(unsigned parameter)
{
    enum { BYTES = 65536 };
    Coroutine self = {};
    void *stack = malloc(BYTES);
    self.rounds = 1 + parameter % 4;
    getcontext(&self.own);
    self.own.uc_stack.ss_sp = stack;
    self.own.uc_stack.ss_size = BYTES;
    self.own.uc_link = &self.caller;
    auto address = reinterpret_cast<uintptr_t>(&self);
    makecontext(&self.own, reinterpret_cast<void (*)()>(run_coroutine), 2, static_cast<unsigned>(address >> 32),
                static_cast<unsigned>(address));
    for (unsigned i = 0; i <= self.rounds; i++)
        swapcontext(&self.caller, &self.own);
    free(stack);
    return self.value;
}

static int descending(const void *one, const void *two)
{
    return *static_cast<const int *>(two) - *static_cast<const int *>(one);
}

static uint64_t sorted(unsigned parameter)
{
    int numbers[300], wanted = 7;
    for (int i = 0; i < 300; i++)
        numbers[i] = (i * 7919 + parameter) % 1000;
    qsort(numbers, 300, sizeof(int), descending);
    return mixed_bytes(bsearch(&wanted, numbers, 300, sizeof(int), descending) != nullptr, numbers, sizeof numbers);
}

const Activity of_jumps[] = {
    {"long_jump", long_jump, NOTHING}, {"recursion", recursion, NOTHING}, {"much_stack", much_stack, NOTHING},
    {"coroutine", coroutine, NOTHING}, {"sorted", sorted, NOTHING},       {nullptr, nullptr, NOTHING},
};
