/* bpor-launch: turns itself into the target, prepared for control; or waits for all its processes (supervise.c).
 *
 * Usage (the controller's business, not for people): bpor-launch PARENT SHARED PLAN EVENTS LIBRARY PROGRAM ARGUMENT...
 * A small C program, because the preparations must happen between fork and exec, where Python is no place to run. */
#define _GNU_SOURCE
#include "launcher/supervise.h"
#include "process/family.h"
#include "protocol/protocol.h"
#include "runtime/environment.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FIXED_ARGUMENTS = 6, DESCRIPTORS = 16, USUAL_LIMIT = 1024 };

/* Where our descriptors are out of the way of programs that use every one they may have: beyond their limit if that can be, else
 * as far up as is usual. Not further: a table of descriptors is copied by every fork. */
static int high_descriptors(const struct rlimit *limit)
{
    rlim_t end = limit->rlim_cur < limit->rlim_max ? limit->rlim_cur : limit->rlim_cur - DESCRIPTORS;
    return (int)(end < USUAL_LIMIT ? end : USUAL_LIMIT);
}

static int raise_descriptor(int fd)
{
    struct rlimit limit, raised;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return fd;
    int least = high_descriptors(&limit);
    raised = limit;
    if (raised.rlim_cur < (rlim_t)least + DESCRIPTORS)
        raised.rlim_cur = raised.rlim_max < (rlim_t)least + DESCRIPTORS ? raised.rlim_max : (rlim_t)least + DESCRIPTORS;
    setrlimit(RLIMIT_NOFILE, &raised);
    int high = fcntl(fd, F_DUPFD, least);
    setrlimit(RLIMIT_NOFILE, &limit);
    if (high < 0)
        return fd;
    close(fd);
    return high;
}

__attribute__((noreturn)) static void fail(int events, int error)
{
    struct bpor_message message = {BPOR_MAGIC, BPOR_MESSAGE_FAILED, (uint64_t)error, BPOR_VERSION};
    ssize_t written = write(events, &message, sizeof message);
    _exit(written == sizeof message ? 2 : 99);
}

static void set_preload(const char *library)
{
    const char *users = getenv("LD_PRELOAD");
    char *text;
    if (asprintf(&text, "%s%s%s", library, users && *users ? ":" : "", users ? users : "") < 0)
        _exit(99);
    setenv("LD_PRELOAD", text, 1);
}

static void set_descriptors(const struct bpor_config *config, int shared, int plan, int events)
{
    char text[96];
    snprintf(text, sizeof text, BPOR_DESCRIPTORS, shared, plan, events, (int)config->controller, (int)config->controller_shared,
             NOT_STARTED, 0);
    setenv(BPOR_ENVIRONMENT, text, 1);
}

/* With rollback, what the dynamic linker resolves on the first call of a function would be forgotten after each execution. The
 * environment has the same size without: addresses on main's stack are equal in every mode, which matters to programs that hash
 * them (libstdc++ finds the waiters of an atomic that way). */
static void bind_now(struct bpor_shared *shared)
{
    if (getenv(BPOR_BIND_NOW))
        return;
    shared->config.bound_now = shared->config.reset == BPOR_RESET_ROLLBACK;
    setenv(shared->config.bound_now ? BPOR_BIND_NOW : BPOR_BIND_LAZILY, "1", 1);
}

/* Addresses that repeat between processes; everything works without it too. */
static void switch_off_randomisation(struct bpor_shared *shared)
{
    int current = personality(0xffffffff);
    shared->config.aslr_off = current != -1 && personality((unsigned long)current | ADDR_NO_RANDOMIZE) != -1;
}

static int processor_of(unsigned worker, const cpu_set_t *all)
{
    int number = 0;
    for (unsigned left = worker % (unsigned)CPU_COUNT(all) + 1; left; number++)
        left -= CPU_ISSET(number, all) != 0;
    return number - 1;
}

/* One thread runs at a time: on one processor a hand-over is a plain context switch, on two it wakes an idle one each time
 * (measured in a virtual machine: four times slower). The target is told the number of processors it would have had. */
static void use_one_processor(struct bpor_shared *shared)
{
    cpu_set_t all, one;
    int here = sched_getcpu();
    if (here < 0 || sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    if (shared->config.processors == 0)
        shared->config.processors = (uint32_t)CPU_COUNT(&all);
    if (shared->config.worker)
        here = processor_of(shared->config.worker - 1, &all);
    CPU_ZERO(&one);
    CPU_SET(here, &one);
    sched_setaffinity(0, sizeof one, &one);
}

int main(int argc, char **argv)
{
    if (argc < FIXED_ARGUMENTS + 1) {
        fputs("bpor-launch is started by bpor-native\n", stderr);
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != atoi(argv[1]))
        return 99; /* the controller died before we could tie ourselves to it */
    setpgid(0, 0);
    int shared = raise_descriptor(atoi(argv[2]));
    int plan = raise_descriptor(atoi(argv[3]));
    int events = raise_descriptor(atoi(argv[4]));
    struct rlimit no_core = {1, 1}; /* 1, not 0: it also stops core handlers that are pipes */
    setrlimit(RLIMIT_CORE, &no_core);
    struct bpor_shared *mapping = mmap(NULL, sizeof *mapping, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
    if (mapping == MAP_FAILED)
        fail(events, errno);
    switch_off_randomisation(mapping);
    use_one_processor(mapping);
    bind_now(mapping);
    set_preload(argv[5]);
    set_descriptors(&mapping->config, shared, plan, events);
    if (mapping->config.family || mapping->config.any_program)
        supervise(mapping, plan, events);
    execv(argv[6], &argv[6]);
    fail(events, errno);
}
