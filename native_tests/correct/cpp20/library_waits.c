// std::atomic::wait as headers of libstdc++ 16 compile it, with calls into the library: what the waiter's own loads order is no race.
// For objects of four bytes and of one, for ever and with a deadline, and for a look that does not wait. Without such a libstdc++ it
// does nothing alone.
// compiler: bpor
// with TYPE=int UNTIL=0, bound none: pass
// with TYPE=char UNTIL=0, bound none: pass
// with TYPE=int UNTIL=1000, bound none: pass
// with TYPE=char UNTIL=1000, bound none: pass
// with TYPE=int UNTIL=0 LOOKS=8, bound none: pass
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef TYPE
#define TYPE int
#define UNTIL 0
#endif
#ifndef LOOKS
#define LOOKS 0
#endif
#ifndef ORDER
#define ORDER __ATOMIC_ACQUIRE
#endif

struct arguments {
    uint32_t flags;
    int order;
    uint64_t old;
    void *state;
    const void *object;
    unsigned char size;
};

struct result {
    uint64_t value;
    unsigned char has_value : 1, timeout : 1, unused : 6;
};

bool begin(struct arguments *, const void *) __asm__("_ZNSt8__detail11__wait_args19_M_setup_proxy_waitEPKv")
    __attribute__((weak));
struct result wait_for_ever(const void *, struct arguments *) __asm__("_ZNSt8__detail11__wait_implEPKvRNS_16__wait_args_baseE")
    __attribute__((weak));
struct result wait_until(const void *, struct arguments *, const int64_t *) __asm__(
    "_ZNSt8__detail17__wait_until_implEPKvRNS_16__wait_args_baseERKNSt6chrono8durationIlSt5ratioILl1ELl1000000000EEEE")
    __attribute__((weak));
void notify(const void *, bool, const struct arguments *) __asm__("_ZNSt8__detail13__notify_implEPKvbRKNS_16__wait_args_baseE")
    __attribute__((weak));

static TYPE flag;
static int data;

static struct arguments arguments_of(void)
{
    return (struct arguments){.flags = 6 | LOOKS, .order = ORDER, .object = &flag, .size = sizeof flag};
}

static struct result wait_once(struct arguments *arguments)
{
    const int64_t until = UNTIL;
    return UNTIL ? wait_until(&flag, arguments, &until) : wait_for_ever(&flag, arguments);
}

static bool became_set(void)
{
    struct arguments arguments = arguments_of();
    bool direct = !begin(&arguments, &flag);
    while (__atomic_load_n(&flag, ORDER) == 0) {
        if (direct)
            arguments.old = 0;
        struct result result = wait_once(&arguments);
        if (result.timeout)
            return false;
        if (direct && result.has_value && result.value != 0)
            return true;
        if (!direct)
            begin(&arguments, NULL);
    }
    return true;
}

static void *read_data(void *unused)
{
    if (became_set() && data != 7)
        abort();
    return unused;
}

int main(void)
{
    pthread_t reader;
    if (!notify)
        return 0;
    pthread_create(&reader, NULL, read_data, NULL);
    data = 7;
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    struct arguments arguments = arguments_of();
    notify(&flag, true, &arguments);
    pthread_join(reader, NULL);
}
