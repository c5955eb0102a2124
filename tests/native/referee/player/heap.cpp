/* Blocks of every size: small, large, aligned, grown, shrunk, zeroed, and those that another thread frees. */
#include "player.h"
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <string>
#include <unistd.h>
#include <vector>

enum : size_t { PAGE = 4096, HUGE = 48u << 20 };

static uint64_t filled(void *block, size_t bytes, unsigned salt)
{
    unsigned char *at = static_cast<unsigned char *>(block);
    MUST(at);
    memset(at, salt, bytes);
    return mixed(at[0] + at[bytes / 2], bytes);
}

static uint64_t small(unsigned parameter)
{
    size_t bytes = 1 + parameter * 37 % 900;
    void *block = malloc(bytes);
    uint64_t value = filled(block, bytes, parameter);
    free(block);
    return value;
}

static uint64_t large(unsigned parameter)
{
    size_t bytes = 100000 + parameter * 7919 % 900000;
    void *block = malloc(bytes);
    uint64_t value = filled(block, bytes, parameter);
    free(block);
    return value;
}

/* Touched in a few places only. */
static uint64_t huge(unsigned parameter)
{
    size_t bytes = HUGE + parameter * PAGE;
    auto *block = static_cast<unsigned char *>(malloc(bytes));
    MUST(block);
    block[0] = 1, block[bytes / 3] = parameter, block[bytes - 1] = 3;
    uint64_t value = block[0] + block[bytes / 3] + block[bytes - 1] + block[bytes / 2];
    free(block);
    return value;
}

static uint64_t zeroed(unsigned parameter)
{
    size_t count = 1 + parameter % 3000;
    auto *block = static_cast<unsigned char *>(calloc(count, 8));
    MUST(block);
    uint64_t value = 0;
    for (size_t i = 0; i < count * 8; i++)
        value += block[i];
    block[count * 4] = 1;
    free(block);
    return value;
}

static uint64_t aligned(unsigned parameter)
{
    size_t alignment = size_t{16} << parameter % 9, bytes = alignment * (1 + parameter % 5);
    void *one = aligned_alloc(alignment, bytes), *two = memalign(alignment, bytes), *three = nullptr;
    MUST(posix_memalign(&three, alignment, bytes) == 0);
    uint64_t value =
        (reinterpret_cast<uintptr_t>(one) | reinterpret_cast<uintptr_t>(two) | reinterpret_cast<uintptr_t>(three)) % alignment;
    value += filled(one, bytes, 1) + filled(two, bytes, 2) + filled(three, bytes, 3);
    free(two), free(one), free(three);
    return value;
}

static uint64_t regrown(unsigned parameter)
{
    size_t bytes = 1;
    auto *block = static_cast<unsigned char *>(malloc(bytes));
    MUST(block);
    block[0] = parameter;
    for (unsigned i = 0; i < 4 + parameter % 12; i++) {
        size_t more = bytes * 3;
        block = static_cast<unsigned char *>(realloc(block, more));
        MUST(block);
        memset(block + bytes, i, more - bytes);
        bytes = more;
    }
    uint64_t value = mixed_bytes(bytes, block, bytes < 2000 ? bytes : 2000);
    block = static_cast<unsigned char *>(realloc(block, 5));
    value = mixed_bytes(value, block, bytes < 5 ? bytes : 5);
    free(block);
    return value;
}

static uint64_t many(unsigned parameter)
{
    std::vector<void *> blocks;
    uint64_t value = 0;
    for (unsigned i = 0; i < 20 + parameter % 60; i++) {
        size_t bytes = 8 + (i * 131 + parameter) % 2000;
        blocks.push_back(malloc(bytes));
        value += filled(blocks.back(), bytes, i);
        if (i % 3 == 0) {
            free(blocks[i / 2]);
            blocks[i / 2] = nullptr;
        }
    }
    for (void *block : blocks)
        free(block);
    return value;
}

static void *kept;
static size_t kept_bytes;

/* Frees what somebody left and leaves another. */
static uint64_t passed_on(unsigned parameter)
{
    uint64_t value = kept ? mixed_bytes(1, kept, kept_bytes) : 0;
    free(kept);
    kept_bytes = 1 + parameter * 61 % 5000;
    kept = malloc(kept_bytes);
    filled(kept, kept_bytes, parameter);
    return value;
}

static uint64_t objects(unsigned parameter)
{
    struct alignas(128) Wide {
        char bytes[256];
    };
    auto wide = new Wide[1 + parameter % 4]();
    auto text = new std::string(parameter % 300, 'x');
    uint64_t value = text->size() + wide[0].bytes[3] + reinterpret_cast<uintptr_t>(wide) % 128;
    delete text;
    delete[] wide;
    auto *none = new (std::nothrow) char[static_cast<size_t>(1) << 60];
    return value + (none == nullptr);
}

static uint64_t trimmed(unsigned parameter)
{
    void *top = malloc(200000 + parameter);
    filled(top, 200000, parameter);
    free(top);
    malloc_trim(0);
    return 1;
}

static uint64_t grown_break(unsigned parameter)
{
    size_t bytes = PAGE * (1 + parameter % 8);
    auto *old = static_cast<unsigned char *>(sbrk(bytes));
    MUST(old != reinterpret_cast<unsigned char *>(-1));
    uint64_t value = old[0] + old[bytes - 1];
    old[0] = old[bytes - 1] = parameter;
    return value;
}

const Activity of_heap[] = {
    {"small", small, NOTHING},
    {"large", large, NOTHING},
    {"huge", huge, NOTHING},
    {"zeroed", zeroed, NOTHING},
    {"aligned", aligned, NOTHING},
    {"regrown", regrown, NOTHING},
    {"many", many, NOTHING},
    {"passed_on", passed_on, OBJECTS},
    {"objects", objects, NOTHING},
    {"trimmed", trimmed, NOTHING},
    {"grown_break", grown_break, OBJECTS},
    {nullptr, nullptr, NOTHING},
};
