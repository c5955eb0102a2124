/* Values that would differ from run to run: random sources and process ids. */
#define _GNU_SOURCE
#include "intercept/random.h"
#include "intercept/told.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

enum { PROCESS_ID = 4242, MAX_ENTROPY = 256 };

/* A stream per thread: equal in equivalent executions. */
static uint64_t next_random(void)
{
    struct thread *self = bpor_self;
    self->random = bpor_mix(self->random + bpor->shared->config.seed, self->name);
    return self->random;
}

void bpor_random_fill(void *buffer, size_t bytes)
{
    uint8_t *at = buffer;
    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(next_random() >> 24);
}

static void fill_for_caller(void *buffer, size_t bytes, const void *site)
{
    bpor_told_room(buffer, bytes, site);
    bpor_random_fill(buffer, bytes);
    bpor_told_write(buffer, (ssize_t)bytes, site);
}

INTERCEPT ssize_t getrandom(void *buffer, size_t bytes, unsigned flags)
{
    if (!bpor_controlled() || flags & ~(unsigned)(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE))
        return REAL(getrandom)(buffer, bytes, flags);
    fill_for_caller(buffer, bytes, CALL_SITE);
    return (ssize_t)bytes;
}

INTERCEPT int getentropy(void *buffer, size_t bytes)
{
    if (!bpor_controlled() || bytes > MAX_ENTROPY)
        return REAL(getentropy)(buffer, bytes);
    fill_for_caller(buffer, bytes, CALL_SITE);
    return 0;
}

INTERCEPT uint32_t arc4random(void)
{
    return bpor_controlled() ? (uint32_t)next_random() : REAL(arc4random)();
}

INTERCEPT void arc4random_buf(void *buffer, size_t bytes)
{
    if (bpor_controlled())
        fill_for_caller(buffer, bytes, CALL_SITE);
    else
        REAL(arc4random_buf)(buffer, bytes);
}

INTERCEPT uint32_t arc4random_uniform(uint32_t limit)
{
    if (!bpor_controlled())
        return REAL(arc4random_uniform)(limit);
    return limit < 2 ? 0 : (uint32_t)(next_random() % limit);
}

/* std::random_device asks the processor, not the system. */
unsigned _ZNSt13random_device9_M_getvalEv(void *device);

INTERCEPT unsigned _ZNSt13random_device9_M_getvalEv(void *device)
{
    return bpor_controlled() ? (unsigned)next_random() : REAL(_ZNSt13random_device9_M_getvalEv)(device);
}

/* Where other processes know this one, by the number that the system gave it, it knows itself by no other. */
static bool has_number_of_its_own(void)
{
    return bpor_controlled() && !bpor->shared->config.family;
}

INTERCEPT pid_t getpid(void)
{
    return has_number_of_its_own() ? PROCESS_ID : REAL(getpid)();
}

INTERCEPT pid_t gettid(void)
{
    return bpor_controlled() ? getpid() + bpor_self->id : REAL(gettid)();
}

INTERCEPT pid_t getppid(void)
{
    return has_number_of_its_own() ? 1 : REAL(getppid)();
}
