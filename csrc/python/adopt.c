/* How a Python process comes under control that nobody launched: a test runner forks a template after its fixtures, hands it the
 * descriptors, and says where executions begin and how they end. */
#define _GNU_SOURCE
#include "reset/shared_state.h"
#include "reset/template.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/start.h"
#include "runtime/sys.h"
#include <unistd.h>

int bpor_python_fork(void);
void bpor_python_put_back(void);
int bpor_python_adopt(int shared_fd, int plan_fd, int event_fd);
void bpor_python_fork_point(void);
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

INTERCEPT int bpor_python_adopt(int shared_fd, int plan_fd, int event_fd)
{
    return bpor_adopt(shared_fd, plan_fd, event_fd) ? 0 : -1;
}

INTERCEPT void bpor_python_fork_point(void)
{
    bpor_fork_here();
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
