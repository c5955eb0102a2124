/* How control begins: the launcher left two descriptors and a mapping; the process that is meant claims them; main becomes the
 * fork point. Every other process that loads this library stays untouched. */
#define _GNU_SOURCE
#include "runtime/start.h"
#include "engine/search.h"
#include "model/rules.h"
#include "model/waiters.h"
#include "runtime/instrumented.h"
#include "runtime/memory.h"
#include "runtime/objects.h"
#include "runtime/plan.h"
#include "runtime/process_state.h"
#include "runtime/race.h"
#include "runtime/real.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct runtime *bpor;
__thread struct thread *bpor_self __attribute__((tls_model("initial-exec")));

static bool is_the_program(const struct bpor_config *config)
{
    struct stat facts;
    if (sys_call4(SYS_newfstatat, AT_FDCWD, "/proc/self/exe", &facts, 0) != 0)
        return false;
    return facts.st_dev == config->program_device && facts.st_ino == config->program_inode;
}

static bool mapped(long result)
{
    return result >= 0 || result <= -4096;
}

static struct bpor_shared *map_shared(int fd)
{
    long result = sys_call6(SYS_mmap, 0, sizeof(struct bpor_shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return mapped(result) ? (struct bpor_shared *)result : NULL;
}

/* The search's own mapping lies behind the shared one, page aligned; here it stands apart, so that running over the end of
 * something else does not reach it. Without room for it (ulimit -v) the controller searches. */
static void attach_search(struct bpor_shared *shared, int shared_fd)
{
    enum { APART = 1 << 20 };
    size_t offset = (sizeof *shared + 4095) & ~(size_t)4095, bytes = sizeof(struct bpor_search);
    if (shared->config.search_bytes == 0)
        return;
    long at = sys_call6(SYS_mmap, 0, (long)bytes + 2 * APART, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped(at))
        at =
            sys_call6(SYS_mmap, at + APART, (long)bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, shared_fd, (long)offset);
    if (mapped(at))
        bpor_search_attach((struct bpor_search *)at);
    else
        shared->config.search_bytes = 0;
}

/* Our descriptors must not reach programs that the target runs. */
static void keep_private(int fd)
{
    sys_call3(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
}

static void restore_environment(const struct bpor_config *config)
{
    unsetenv(BPOR_ENVIRONMENT);
    unsetenv(BPOR_BIND_LAZILY);
    if (config->bound_now)
        unsetenv(BPOR_BIND_NOW);
    if (config->preload[0])
        setenv("LD_PRELOAD", config->preload, 1);
    else
        unsetenv("LD_PRELOAD");
}

static bool compatible(const struct bpor_shared *shared)
{
    return shared->magic == BPOR_MAGIC && shared->version == BPOR_VERSION && shared->shared_bytes == sizeof(struct bpor_shared) &&
           shared->event_bytes == sizeof(struct bpor_event) &&
           (shared->config.search_bytes == 0 || shared->config.search_bytes == sizeof(struct bpor_search));
}

/* What the launcher left; kept by a process that may become the target when it creates its first thread. */
static struct offer {
    struct bpor_shared *shared;
    int shared_fd;
    int plan_fd;
    int event_fd;
} offer;
static uintptr_t main_frame;

static void attach(struct bpor_shared *shared, int plan_fd, int event_fd)
{
    shared->claimed = (uint32_t)sys_getpid();
    bpor = bpor_reserve(sizeof *bpor);
    bpor_objects_reserve();
    bpor_heap_reserve();
    bpor_plan_reserve();
    bpor_memory_reserve();
    bpor_waiters_reserve();
    bpor_process_state_reserve();
    bpor->shared = shared;
    bpor->plan_fd = plan_fd;
    bpor->event_fd = event_fd;
    bpor->attached = true;
    keep_private(plan_fd);
    keep_private(event_fd);
    keep_private(offer.shared_fd);
    attach_search(shared, offer.shared_fd);
    restore_environment(&shared->config);
    if (shared->config.quarantine)
        bpor_quarantine_reserve();
    bpor_thread_adopt_main();
    bpor_instrumented_claim();
}

/* Runs once, as early as anything of ours is called. */
void bpor_look_for_controller(void)
{
    static bool looked;
    if (looked || environ == NULL)
        return; /* done, or a preinit function of the program: libc knows its environment a little later */
    const char *text = getenv(BPOR_ENVIRONMENT);
    looked = true;
    if (text == NULL || sscanf(text, "%d,%d,%d", &offer.shared_fd, &offer.plan_fd, &offer.event_fd) != 3)
        return;
    offer.shared = map_shared(offer.shared_fd);
    if (offer.shared == NULL)
        return;
    if (!compatible(offer.shared)) {
        /* The controller reads this number and explains. */
        struct bpor_message message = {BPOR_MAGIC, BPOR_MESSAGE_FAILED, 0, BPOR_VERSION};
        sys_write(offer.event_fd, &message, sizeof message);
        sys_exit_group(99);
    }
    if (!offer.shared->config.any_program && is_the_program(&offer.shared->config) && offer.shared->claimed == 0)
        attach(offer.shared, offer.plan_fd, offer.event_fd);
}

__attribute__((constructor(101))) static void at_load(void)
{
    bpor_look_for_controller();
}

bool bpor_adopt(int shared_fd, int plan_fd, int event_fd)
{
    offer = (struct offer){map_shared(shared_fd), shared_fd, plan_fd, event_fd};
    if (bpor != NULL || offer.shared == NULL || !compatible(offer.shared))
        return false;
    attach(offer.shared, plan_fd, event_fd);
    bpor->adopted = true;
    return true;
}

void bpor_fork_here(void)
{
    if (bpor != NULL && bpor->attached && !bpor->forked)
        bpor_template_run();
}

static int (*target_main)(int, char **, char **);
static void (*target_rtld_fini)(void);

static void main_ended_by_unwinding(const bool *returned)
{
    if (!*returned && bpor_controlled())
        bpor_thread_finish(bpor_self);
}

/* Behind a script, the target is the first program that creates a thread. */
static void claim_at_first_thread(void)
{
    attach(offer.shared, offer.plan_fd, offer.event_fd);
    bpor_self->stack_top = main_frame;
}

void bpor_fork_point(enum bpor_fork_at where)
{
    if (bpor == NULL && offer.shared && offer.shared->config.any_program && offer.shared->claimed == 0 &&
        where == BPOR_FORK_AT_FIRST_THREAD)
        claim_at_first_thread();
    if (bpor == NULL || !bpor->attached || bpor->forked || bpor->shared->config.fork_at != where)
        return;
    bpor_template_run();
}

static int controlled_main(int argc, char **argv, char **environment)
{
    bool returned __attribute__((cleanup(main_ended_by_unwinding))) = false;
    main_frame = (uintptr_t)__builtin_frame_address(0);
    if (bpor)
        bpor_self->stack_top = main_frame;
    bpor_fork_point(BPOR_FORK_AT_MAIN);
    int status = target_main(argc, argv, environment);
    bpor_exit_status(status);
    returned = true; /* the process ends, not only this thread */
    return status;
}

/* libc registered this before anything of the program's own: it runs last but for the libraries' own teardown, which it calls. */
static void last_exit_handler(void)
{
    if (target_rtld_fini)
        target_rtld_fini();
    if (bpor_controlled())
        bpor_finish_process();
}

typedef int start_main(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
INTERCEPT start_main __libc_start_main;

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    bpor_look_for_controller();
    target_main = main;
    target_rtld_fini = rtld_fini;
    if (offer.shared == NULL)
        return REAL(__libc_start_main)(main, argc, argv, init, fini, rtld_fini, stack_end);
    return REAL(__libc_start_main)(controlled_main, argc, argv, init, fini, last_exit_handler, stack_end);
}
