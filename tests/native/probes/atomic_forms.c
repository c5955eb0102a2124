/* Every atomic form of one width, by a thread that nobody disturbs: `atomic_forms BITS`, or `atomic_forms fences|flags|sync`.
 * Each result is checked here; tests/native/test_callbacks.py knows which operations it has to be. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                                                        \
    if (!(condition))                                                                                                            \
    abort()

typedef uint8_t bits8;
typedef uint16_t bits16;
typedef uint32_t bits32;
typedef uint64_t bits64;
typedef unsigned __int128 bits128;

#define FORMS(T)                                                                                                                 \
    static void forms_##T(void)                                                                                                  \
    {                                                                                                                            \
        static T place;                                                                                                          \
        const T top = (T)((T)1 << (8 * sizeof(T) - 1));                                                                          \
        T expected = 0;                                                                                                          \
        EXPECT(__atomic_load_n(&place, __ATOMIC_ACQUIRE) == 0);                                                                  \
        __atomic_store_n(&place, 0x5a, __ATOMIC_RELEASE);                                                                        \
        EXPECT(__atomic_exchange_n(&place, 0x21, __ATOMIC_ACQ_REL) == 0x5a);                                                     \
        EXPECT(__atomic_fetch_add(&place, 3, __ATOMIC_RELAXED) == 0x21);                                                         \
        EXPECT(__atomic_fetch_sub(&place, 4, __ATOMIC_ACQUIRE) == 0x24);                                                         \
        EXPECT(__atomic_fetch_or(&place, top, __ATOMIC_RELEASE) == 0x20);                                                        \
        EXPECT(__atomic_fetch_and(&place, top, __ATOMIC_SEQ_CST) == (top | 0x20));                                               \
        EXPECT(__atomic_fetch_xor(&place, top | 0x20, __ATOMIC_SEQ_CST) == top);                                                 \
        EXPECT(__atomic_fetch_nand(&place, 0x20, __ATOMIC_SEQ_CST) == 0x20);                                                     \
        EXPECT(__atomic_add_fetch(&place, 0x21, __ATOMIC_SEQ_CST) == 0);                                                         \
        EXPECT(__atomic_compare_exchange_n(&place, &expected, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));                        \
        EXPECT(!__atomic_compare_exchange_n(&place, &expected, 2, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) && expected == 9);      \
        EXPECT(__atomic_compare_exchange_n(&place, &expected, top, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED));                      \
        EXPECT(__atomic_load_n(&place, __ATOMIC_SEQ_CST) == top);                                                                \
    }
FORMS(bits8)
FORMS(bits16)
FORMS(bits32)
FORMS(bits64)
FORMS(bits128)

/* With something between them: clang makes one of neighbours. */
atomic_int place;
static void fences(void)
{
    atomic_thread_fence(memory_order_acquire);
    atomic_store_explicit(&place, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&place, 2, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}

static void flags(void)
{
    static atomic_flag flag = ATOMIC_FLAG_INIT;
    EXPECT(!atomic_flag_test_and_set_explicit(&flag, memory_order_acquire));
    EXPECT(atomic_flag_test_and_set(&flag));
    atomic_flag_clear_explicit(&flag, memory_order_release);
}

static void sync(void)
{
    static int place;
    EXPECT(__sync_fetch_and_add(&place, 2) == 0);
    EXPECT(__sync_add_and_fetch(&place, 2) == 4);
    EXPECT(__sync_val_compare_and_swap(&place, 4, 6) == 4);
    EXPECT(!__sync_bool_compare_and_swap(&place, 4, 6));
    EXPECT(__sync_lock_test_and_set(&place, 1) == 6);
    __sync_lock_release(&place);
    __sync_synchronize();
}

static const struct {
    const char *name;
    void (*run)(void);
} groups[] = {{"8", forms_bits8},     {"16", forms_bits16}, {"32", forms_bits32}, {"64", forms_bits64},
              {"128", forms_bits128}, {"fences", fences},   {"flags", flags},     {"sync", sync}};

static void *run(void *name)
{
    for (unsigned i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (strcmp(groups[i].name, name) == 0)
            groups[i].run();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    EXPECT(argc == 2);
    pthread_create(&thread, NULL, run, argv[1]);
    pthread_join(thread, NULL);
    return 0;
}
