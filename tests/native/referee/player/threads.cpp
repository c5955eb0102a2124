/* Threads made by threads, on stacks of every kind; what a thread owns and who cleans up after it. */
#include "player.h"
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <string>
#include <sys/mman.h>

/* Counts its death in a sum that all share. */
struct Owned {
    uint64_t value = 0;
    std::string text = "new";
    ~Owned()
    {
        add(mixed(value, text.size()));
        give(1);
    }
};
static thread_local Owned owned;
static thread_local uint64_t plain = 17;

static uint64_t own_object(unsigned parameter)
{
    owned.value = mixed(owned.value, parameter);
    owned.text += 'x';
    return mixed(++plain, owned.value);
}

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned keys;

static void forget(void *block)
{
    unsigned *left = static_cast<unsigned *>(block);
    add(*left);
    if (--*left > 0)
        pthread_setspecific(key, left); /* another round of destructors */
    else {
        free(left);
        give(2);
    }
}

static void make_key()
{
    pthread_key_create(&key, forget);
    keys++;
}

static uint64_t own_value(unsigned parameter)
{
    pthread_once(&once, make_key);
    void *old = pthread_getspecific(key);
    uint64_t value = old ? *static_cast<unsigned *>(old) : 0;
    if (!old) {
        auto *block = static_cast<unsigned *>(malloc(sizeof(unsigned)));
        *block = 1 + parameter % 3;
        pthread_setspecific(key, block);
    }
    return mixed(value, keys);
}

static void note(void *number)
{
    add(reinterpret_cast<uintptr_t>(number));
}

static void clean_up(void *number)
{
    add(reinterpret_cast<uintptr_t>(number));
    give(3);
}

static uint64_t cleaned(unsigned parameter)
{
    pthread_cleanup_push(note, reinterpret_cast<void *>(static_cast<uintptr_t>(parameter)));
    pthread_cleanup_push(note, reinterpret_cast<void *>(5));
    plain += parameter;
    pthread_cleanup_pop(parameter % 2);
    pthread_cleanup_pop(1);
    return plain;
}

static void *leave(void *number)
{
    Owned local;
    local.value = 3;
    pthread_cleanup_push(clean_up, number);
    plain++;
    pthread_exit(reinterpret_cast<void *>(static_cast<uintptr_t>(plain)));
    pthread_cleanup_pop(0);
    return nullptr;
}

static uint64_t joined(pthread_attr_t *attributes, void *(*body)(void *), unsigned parameter)
{
    pthread_t thread;
    void *result;
    MUST(pthread_create(&thread, attributes, body, reinterpret_cast<void *>(static_cast<uintptr_t>(parameter))) == 0);
    MUST(pthread_join(thread, &result) == 0);
    return reinterpret_cast<uintptr_t>(result);
}

static uint64_t left_early(unsigned parameter)
{
    return joined(nullptr, leave, parameter % 50);
}

static void *use_stack(void *number)
{
    volatile char frame[8192];
    auto parameter = reinterpret_cast<uintptr_t>(number);
    for (unsigned i = 0; i < sizeof frame; i += 512)
        frame[i] = i + parameter;
    return reinterpret_cast<void *>(static_cast<uintptr_t>(frame[512] + plain));
}

static void *use_much_stack(void *number)
{
    volatile char frame[6 << 20];
    for (unsigned i = 0; i < sizeof frame; i += 1 << 16)
        frame[i] = 1;
    return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(number) + frame[1 << 16]);
}

static uint64_t large_stack(unsigned parameter)
{
    pthread_attr_t attributes;
    size_t bytes = 0;
    pthread_attr_init(&attributes);
    MUST(pthread_attr_setstacksize(&attributes, (16 + parameter % 4 * 16) << 20) == 0);
    uint64_t value = joined(&attributes, use_much_stack, parameter % 10);
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
    return mixed(value, bytes);
}

static uint64_t given_stack(unsigned parameter)
{
    enum { BYTES = 256 << 10 };
    pthread_attr_t attributes;
    void *stack = mmap(nullptr, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    MUST(stack != MAP_FAILED);
    pthread_attr_init(&attributes);
    MUST(pthread_attr_setstack(&attributes, stack, BYTES) == 0);
    uint64_t value = joined(&attributes, use_stack, parameter % 10);
    pthread_attr_destroy(&attributes);
    munmap(stack, BYTES);
    return value;
}

static uint64_t small_stack(unsigned parameter)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    MUST(pthread_attr_setstacksize(&attributes, 65536) == 0);
    uint64_t value = joined(&attributes, use_stack, parameter % 10);
    pthread_attr_destroy(&attributes);
    return value;
}

static void *own_things(void *number)
{
    own_object(1);
    own_value(reinterpret_cast<uintptr_t>(number));
    give(1);
    return nullptr;
}

static uint64_t child(unsigned parameter)
{
    return joined(nullptr, own_things, parameter % 5);
}

static uint64_t own_facts(unsigned)
{
    char name[16];
    pthread_attr_t attributes;
    size_t bytes, guard;
    int detached, policy;
    struct sched_param priority;
    pthread_setname_np(pthread_self(), "referee");
    pthread_getname_np(pthread_self(), name, sizeof name);
    MUST(pthread_getattr_np(pthread_self(), &attributes) == 0);
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_getguardsize(&attributes, &guard);
    pthread_attr_getdetachstate(&attributes, &detached);
    pthread_getschedparam(pthread_self(), &policy, &priority);
    pthread_attr_destroy(&attributes);
    return mixed_bytes(detached * 8 + policy + priority.sched_priority, name, strlen(name));
}

const Activity of_threads[] = {
    {"own_object", own_object, NOTHING},   {"own_value", own_value, NOTHING},
    {"cleaned", cleaned, NOTHING},         {"left_early", left_early, NOTHING},
    {"large_stack", large_stack, NOTHING}, {"given_stack", given_stack, NOTHING},
    {"small_stack", small_stack, NOTHING}, {"child", child, NOTHING},
    {"own_facts", own_facts, NOTHING},     {nullptr, nullptr, NOTHING},
};
