/* The mmap family: private and shared, of files and of none, protected, moved, dropped, unmapped in part. */
#include "player.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum : size_t { PAGE = 4096 };

static unsigned char *map(size_t bytes, int flags = MAP_PRIVATE | MAP_ANONYMOUS, int file = -1)
{
    void *start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    MUST(start != MAP_FAILED);
    return static_cast<unsigned char *>(start);
}

static uint64_t pages_of(const unsigned char *at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i += PAGE)
        value = mixed(value, at[i] + at[i + PAGE - 1]);
    return value;
}

static uint64_t mapped(unsigned parameter)
{
    size_t bytes = PAGE * (1 + parameter % 40);
    unsigned char *at = map(bytes);
    for (size_t i = 0; i < bytes; i += 2 * PAGE)
        at[i] = i / PAGE + parameter;
    uint64_t value = pages_of(at, bytes);
    munmap(at, bytes);
    return value;
}

static uint64_t unmapped_in_part(unsigned parameter)
{
    unsigned char *at = map(8 * PAGE);
    size_t hole = 1 + parameter % 6;
    memset(at, parameter, 8 * PAGE);
    munmap(at + hole * PAGE, PAGE);
    uint64_t value = pages_of(at, hole * PAGE) + pages_of(at + (hole + 1) * PAGE, (7 - hole) * PAGE);
    munmap(at, 8 * PAGE);
    return value;
}

static uint64_t protected_page(unsigned parameter)
{
    unsigned char *at = map(3 * PAGE);
    memset(at, parameter, 3 * PAGE);
    MUST(mprotect(at + PAGE, PAGE, PROT_READ) == 0);
    uint64_t value = pages_of(at, 3 * PAGE);
    MUST(mprotect(at + PAGE, PAGE, PROT_READ | PROT_WRITE) == 0);
    at[PAGE] = 7;
    value += at[PAGE];
    munmap(at, 3 * PAGE);
    return value;
}

static uint64_t moved(unsigned parameter)
{
    unsigned char *at = map(2 * PAGE);
    memset(at, parameter, 2 * PAGE);
    size_t larger = PAGE * (3 + parameter % 20);
    void *elsewhere = mremap(at, 2 * PAGE, larger, MREMAP_MAYMOVE);
    MUST(elsewhere != MAP_FAILED);
    uint64_t value = pages_of(static_cast<unsigned char *>(elsewhere), larger);
    munmap(elsewhere, larger);
    return value;
}

static uint64_t dropped(unsigned parameter)
{
    unsigned char *at = map(4 * PAGE);
    memset(at, 1 + parameter % 200, 4 * PAGE);
    MUST(madvise(at + PAGE, PAGE, MADV_DONTNEED) == 0);
    uint64_t value = pages_of(at, 4 * PAGE);
    munmap(at, 4 * PAGE);
    return value;
}

static uint64_t fixed(unsigned parameter)
{
    unsigned char *at = map(4 * PAGE);
    memset(at, parameter, 4 * PAGE);
    MUST(mmap(at + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at + PAGE);
    uint64_t value = pages_of(at, 4 * PAGE);
    munmap(at, 4 * PAGE);
    return value;
}

static uint64_t shared_by_all(unsigned parameter)
{
    unsigned char *at = map(2 * PAGE, MAP_SHARED | MAP_ANONYMOUS);
    at[PAGE] = parameter;
    uint64_t value = pages_of(at, 2 * PAGE);
    munmap(at, 2 * PAGE);
    return value;
}

static uint64_t mapped_file(unsigned parameter)
{
    int file = memfd_create("player", MFD_CLOEXEC);
    MUST(file >= 0 && ftruncate(file, 2 * PAGE) == 0);
    unsigned char *shared = map(2 * PAGE, MAP_SHARED, file), *own = map(2 * PAGE, MAP_PRIVATE, file);
    shared[1] = parameter;
    uint64_t value = own[1];
    own[1] = 99, own[PAGE] = 98;
    value = mixed(value, shared[1] + shared[PAGE]);
    msync(shared, 2 * PAGE, MS_SYNC);
    munmap(own, 2 * PAGE), munmap(shared, 2 * PAGE), close(file);
    return value;
}

/* A file that is opened to read alone and mapped. */
static uint64_t mapped_program(unsigned)
{
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    MUST(file >= 0);
    auto *at = static_cast<unsigned char *>(mmap(nullptr, PAGE, PROT_READ, MAP_PRIVATE, file, 0));
    MUST(at != MAP_FAILED);
    uint64_t value = at[0] + at[1] + at[2] + at[3];
    munmap(at, PAGE), close(file);
    return value;
}

static unsigned char *standing;

/* Memory that stays mapped, and changes its protection from one use to the next. */
static uint64_t standing_memory(unsigned parameter)
{
    if (!standing)
        standing = map(4 * PAGE);
    uint64_t value = pages_of(standing, 4 * PAGE);
    MUST(mprotect(standing, 4 * PAGE, PROT_READ | PROT_WRITE) == 0);
    standing[parameter % 4 * PAGE] += 1 + parameter % 7;
    if (parameter % 3 == 0)
        MUST(mprotect(standing, 4 * PAGE, PROT_READ) == 0);
    if (parameter % 5 == 0)
        MUST(madvise(standing + 2 * PAGE, PAGE, MADV_DONTNEED) == 0);
    return value;
}

static uint64_t locked_pages(unsigned parameter)
{
    unsigned char *at = map(PAGE);
    int error = mlock(at, PAGE);
    at[0] = parameter;
    uint64_t value = at[0] + (error != 0);
    munlock(at, PAGE);
    munmap(at, PAGE);
    return value;
}

/* A lock that lives in a mapping: what it is called must not depend on where that lies. */
static uint64_t lock_in_mapping(unsigned parameter)
{
    unsigned char *at = map(2 * PAGE);
    auto *mutex = reinterpret_cast<pthread_mutex_t *>(at + PAGE - sizeof(pthread_mutex_t));
    pthread_mutex_init(mutex, nullptr);
    for (unsigned i = 0; i < 1 + parameter % 2; i++) {
        pthread_mutex_lock(mutex);
        at[PAGE] += 1 + i;
        pthread_mutex_unlock(mutex);
    }
    uint64_t value = at[PAGE];
    munmap(at, 2 * PAGE);
    return value;
}

const Activity of_mappings[] = {
    {"mapped", mapped, NOTHING},
    {"unmapped_in_part", unmapped_in_part, NOTHING},
    {"protected_page", protected_page, NOTHING},
    {"moved", moved, NOTHING},
    {"dropped", dropped, NOTHING},
    {"fixed", fixed, NOTHING},
    {"shared_by_all", shared_by_all, NOTHING},
    {"mapped_file", mapped_file, NOTHING},
    {"mapped_program", mapped_program, NOTHING},
    {"standing_memory", standing_memory, OBJECTS},
    {"locked_pages", locked_pages, NOTHING},
    {"lock_in_mapping", lock_in_mapping, NOTHING},
    {nullptr, nullptr, NOTHING},
};
