/* The beginning of control. The launcher leaves two descriptors and a mapping; the process that is meant claims them, and its
 * main becomes the fork point. Every other process of the program is watched for threads (family.c); a process without a
 * controller is left alone. */
#define _GNU_SOURCE
#include "runtime/start.h"
#include "beside/search.h"
#include "intercept/file_use.h"
#include "intercept/mapped_file.h"
#include "loops/probe.h"
#include "machine/machine.h"
#include "memory/instrumented.h"
#include "memory/mappings.h"
#include "memory/memory.h"
#include "model/rules.h"
#include "model/waiters.h"
#include "process/family.h"
#include "process/imports.h"
#include "process/maps.h"
#include "process/own_data.h"
#include "process/process_state.h"
#include "race/race.h"
#include "reset/changes.h"
#include "runtime/environment.h"
#include "runtime/objects.h"
#include "runtime/plan.h"
#include "runtime/real.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include "state/differences.h"
#include "state/identity.h"
#include "trust/trust.h"
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
enum { NOT_OPEN = -1 };

static void attach(struct bpor_shared *shared, int plan_fd, int event_fd)
{
    bpor_machine_patch(shared); /* first: our tables take the room near the modules */
    bpor = bpor_reserve(sizeof *bpor);
    bpor->shared = shared;
    bpor_maps_reserve();
    bpor_objects_reserve();
    bpor_heap_reserve();
    bpor_mappings_reserve();
    bpor_plan_reserve();
    bpor_memory_reserve();
    bpor_waiters_reserve();
    bpor_barriers_reserve();
    bpor_process_state_reserve();
    bpor_file_use_reserve();
    bpor_mapped_files_reserve();
    bpor_identity_reserve();
    bpor_probe_reserve();
    bpor_differences_reserve();
    if (shared->config.trusted_count)
        bpor_trust_reserve();
    bpor->plan_fd = plan_fd;
    bpor->event_fd = event_fd;
    bpor->attached = true;
    keep_private(plan_fd);
    keep_private(event_fd);
    attach_search(shared, offer.shared_fd);
    keep_private(offer.shared_fd);
    if (shared->config.quarantine)
        bpor_quarantine_reserve();
    bpor_own_data_hide();
    bpor_thread_adopt_main();
    bpor_instrumented_claim();
    bpor_family_sign();
    bpor_changes_watch("before");
}

static void explain_version(int event_fd)
{
    /* The controller reads this number and explains. */
    struct bpor_message message = {BPOR_MAGIC, BPOR_MESSAGE_FAILED, 0, BPOR_VERSION};
    sys_write(event_fd, &message, sizeof message);
    sys_exit_group(99);
}

/* Runs once, as early as anything of ours is called. */
void bpor_look_for_controller(void)
{
    static bool looked;
    struct bpor_invitation invitation;
    if (looked || environ == NULL)
        return; /* done, or a preinit function of the program: libc knows its environment a little later */
    looked = true;
    if (!bpor_family_find(&invitation, &offer.shared))
        return;
    if (!compatible(offer.shared))
        explain_version(invitation.events);
    offer.shared_fd = invitation.shared;
    offer.plan_fd = invitation.plan;
    offer.event_fd = invitation.events;
    bpor_family_enter(offer.shared, &invitation);
    bpor_environment_restore(&offer.shared->config);
    if (!offer.shared->config.any_program && is_the_program(&offer.shared->config) && bpor_family_claim())
        attach(offer.shared, offer.plan_fd, offer.event_fd);
}

__attribute__((constructor(101))) static void at_load(void)
{
    bpor_look_for_controller();
}

bool bpor_adopt(int shared_fd, int plan_fd, int event_fd)
{
    struct bpor_invitation invitation = {shared_fd, plan_fd, event_fd, sys_getpid(), shared_fd, NOT_STARTED, true};
    offer = (struct offer){bpor_family_map(&invitation), shared_fd, plan_fd, event_fd};
    if (bpor != NULL || offer.shared == NULL || !compatible(offer.shared))
        return false;
    invitation.controller = (int)offer.shared->config.controller;
    invitation.controller_shared = (int)offer.shared->config.controller_shared;
    bpor_family_enter(offer.shared, &invitation);
    bpor_family_claim();
    attach(offer.shared, plan_fd, event_fd);
    bpor->adopted = true;
    return true;
}

void bpor_leave_alone(void)
{
    offer.shared = NULL;
}

void bpor_fork_here(void)
{
    if (bpor != NULL && bpor->attached && !bpor->forked)
        bpor_template_run();
}

static uintptr_t stack_begin;

uintptr_t bpor_stack_begin(void)
{
    return stack_begin;
}

static int (*target_main)(int, char **, char **);
static void (*target_rtld_fini)(void);

/* Only pthread_exit ends the thread here. Other code unwinds these frames too and then ends the process itself, such as Ada's
 * runtime for an unhandled exception. */
static void main_ended_by_unwinding(const bool *returned)
{
    if (!*returned && bpor_controlled() && bpor_self->left_at)
        bpor_thread_finish(bpor_self);
}

/* The descriptors that it inherited may be gone, or be another's by now. */
static void take_offer(void)
{
    const struct bpor_config *config = &offer.shared->config;
    offer.shared_fd = bpor_family_open(config->controller_shared, O_RDWR, offer.shared_fd);
    offer.plan_fd = bpor_family_open(config->controller_plan, O_RDONLY, offer.plan_fd);
    offer.event_fd = bpor_family_open(config->controller_events, O_WRONLY, offer.event_fd);
}

/* Where nobody said which process is meant, it is the first that creates a thread. */
static void claim_at_first_thread(void)
{
    enum bpor_turn turn = offer.shared->config.any_program ? bpor_family_take_turn() : BPOR_TURN_OF_ANOTHER;
    if (turn == BPOR_TURN_OF_ANOTHER)
        return;
    if (turn == BPOR_TURN_CONTROLLED)
        take_offer();
    else
        offer = (struct offer){bpor_family_own_shared(), NOT_OPEN, NOT_OPEN, NOT_OPEN};
    attach(offer.shared, offer.plan_fd, offer.event_fd);
    bpor->unheard = turn == BPOR_TURN_UNHEARD;
    bpor_self->stack_top = main_frame;
    bpor_time_begin_late();
}

void bpor_fork_point(enum bpor_fork_at where)
{
    bool first_thread = where == BPOR_FORK_AT_FIRST_THREAD;
    if (first_thread && bpor == NULL && offer.shared)
        claim_at_first_thread();
    if (first_thread && offer.shared && (bpor == NULL || !bpor->attached))
        bpor_family_makes_threads();
    if (bpor == NULL || !bpor->attached || bpor->forked)
        return;
    /* Constructors may make threads, before main: what those do is part of the program too. */
    bool before_main = first_thread && bpor->shared->config.fork_at == BPOR_FORK_AT_MAIN && !bpor->adopted;
    if (bpor->shared->config.fork_at == where || before_main)
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
    bpor_exit_begins(CALL_SITE);
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

/* A thread that exits while another one does takes from libc's list what is left of it, and ends the process behind the last:
 * there must be one for each. */
static void exit_handler_behind_the_last(void *unused)
{
    (void)unused;
    if (bpor_controlled())
        bpor_finish_process();
}

int __cxa_atexit(void (*function)(void *), void *argument, void *module);

/* Arguments and environment lie behind the stack and move it. What main aligns is at one distance from its beginning
 * nevertheless, and has one name in every environment, if main always begins so far below such a boundary. No variable is likely
 * to be aligned to more. */
static size_t behind_boundary(uintptr_t frame)
{
    enum { BOUNDARY = 4096 };
    return frame & (BOUNDARY - 1);
}

static void begin_at_boundary(void *room)
{
    __asm__ volatile("" : : "r"(room) : "memory"); /* the compiler must not leave it out */
}

typedef int start_main(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
INTERCEPT start_main __libc_start_main;

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    stack_begin = (uintptr_t)stack_end;
    begin_at_boundary(__builtin_alloca(behind_boundary((uintptr_t)__builtin_frame_address(0))));
    bpor_look_for_controller();
    target_main = main;
    target_rtld_fini = rtld_fini;
    if (offer.shared == NULL)
        return REAL(__libc_start_main)(main, argc, argv, init, fini, rtld_fini, stack_end);
    unsigned more = bpor_imports_exit() ? BPOR_THREADS_AT_EXIT : 1;
    for (unsigned i = 1; i < more; i++)
        REAL(__cxa_atexit)(exit_handler_behind_the_last, NULL, NULL); /* of no module: at the end of ours it would be called */
    return REAL(__libc_start_main)(controlled_main, argc, argv, init, fini, last_exit_handler, stack_end);
}
