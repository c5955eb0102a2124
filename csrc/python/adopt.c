/* How a Python process comes under control that nobody launched: a test runner forks a template after its fixtures, hands it the
 * descriptors, and says where executions begin and how they end. */
#define _GNU_SOURCE
#include "reset/shared_state.h"
#include "reset/template.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/start.h"
#include "runtime/sys.h"
#include <sys/resource.h>
#include <unistd.h>

int bpor_python_fork(void);
void bpor_python_put_back(void);
int bpor_python_adopt(int shared_fd, int plan_fd, int event_fd);
void bpor_python_far_down(void (*body)(void));
void bpor_python_fork_point(void);
void bpor_python_leave_alone(void);
void bpor_python_note(int fd, const char *text, unsigned long bytes);
void bpor_python_fail(unsigned outcome, const char *message);
void bpor_python_pass(void);

/* libc's fork, without the interpreter's hooks around it: nothing is reseeded or re-made in the child. It leads a process group
 * and dies with its parent, as a target that was launched does. What the two share is saved here, for the next one; the child
 * looks at it again at its fork point, and complains. */
INTERCEPT int bpor_python_fork(void)
{
    int parent = sys_getpid();
    bpor_shared_take();
    int child = REAL(fork)();
    if (child != 0)
        return child;
    sys_call3(SYS_setpgid, 0, 0, 0);
    bpor_die_with(parent);
    return 0;
}

/* The child is gone, and the runner goes on as if there had been none. */
INTERCEPT void bpor_python_put_back(void)
{
    bpor_shared_put_back();
}

/* The runner is not equally deep in its own calls when it forks one template and when it forks the next one. What is named by
 * where it lies on the stack has the same name in both, because the test's part of the stack begins at the same address: a
 * distance below its beginning that runners seldom reach, or twice that, and so on. Where the stack has no room for that, it
 * begins where it is. */
static uintptr_t far_down;

static uintptr_t place_for_the_test(uintptr_t here, uintptr_t begin)
{
    enum { STEP = 1 << 20, ROUND = 1 << 16, LEAST = 2 << 20 };
    struct rlimit limit = {0, 0};
    uintptr_t wanted = (begin & ~(uintptr_t)(ROUND - 1)) - STEP;
    if (here >= begin || sys_call3(SYS_getrlimit, RLIMIT_STACK, &limit, 0) != 0)
        return 0;
    while (wanted + ROUND > here)
        wanted -= STEP;
    return begin - wanted + LEAST < limit.rlim_cur ? wanted : 0;
}

INTERCEPT void bpor_python_far_down(void (*body)(void))
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    far_down = place_for_the_test(here, bpor_stack_begin());
    if (far_down) {
        volatile char *room = __builtin_alloca(here - far_down);
        *room = 0; /* the compiler must not leave it out */
    }
    body();
}

INTERCEPT int bpor_python_adopt(int shared_fd, int plan_fd, int event_fd)
{
    if (!bpor_adopt(shared_fd, plan_fd, event_fd))
        return -1;
    if (far_down)
        bpor_self->stack_top = far_down;
    return 0;
}

INTERCEPT void bpor_python_fork_point(void)
{
    bpor_fork_here();
}

/* Of a copy that only answers what a serial order of the operations gives. */
INTERCEPT void bpor_python_leave_alone(void)
{
    bpor_leave_alone();
}

/* What the runner's file says from now on. Called here it is no effect of the program, which rollback could not bear. */
INTERCEPT void bpor_python_note(int fd, const char *text, unsigned long bytes)
{
    sys_call3(SYS_ftruncate, fd, 0, 0);
    sys_write(fd, text, bytes);
}

INTERCEPT void bpor_python_fail(unsigned outcome, const char *message)
{
    if (bpor_controlled())
        bpor_end((enum bpor_outcome)outcome, 0, message); /* by Python: the native stack would be the interpreter's */
}

INTERCEPT void bpor_python_pass(void)
{
    if (bpor_controlled())
        bpor_process_end(0, CALL_SITE);
}
