/* Descriptors before mappings, in both directions: a mapping of a file that was cut has no memory until the file is long again.
 */
#define _GNU_SOURCE
#include "reset/shared_state.h"
#include "process/descriptors.h"
#include "reset/saved.h"
#include "runtime/alarm.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/time.h>
#include <time.h>

static char words[256];

const char *bpor_shared_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    return words;
}

/* A line of /proc/sysvipc/shm: key, id, permissions, size, process that made it, ... */
enum { IDENTITY = 1, PERMISSIONS = 2, MAKER = 4, CHANGED = 13 }; /* columns */
enum { ALLOWANCE = 2 };                                          /* seconds: other libraries begin before this one */

struct segment {
    long id;
    long maker;
    long changed; /* in seconds of the clock on the wall */
};

static struct segment read_segment(const char *line)
{
    long field[CHANGED + 1] = {0};
    for (int i = 0; i <= CHANGED; i++)
        field[i] = strtol(line, (char **)&line, i == PERMISSIONS ? 8 : 10);
    return (struct segment){field[IDENTITY], field[MAKER], field[CHANGED]};
}

/* Numbers of processes come again: what is older than this one is of an earlier process of its number. */
static long loaded_at;

__attribute__((constructor(101))) static void look_at_clock(void)
{
    struct timespec now;
    sys_call3(SYS_clock_gettime, CLOCK_REALTIME, &now, 0);
    loaded_at = now.tv_sec;
}

/* False: there are too many to look at all. */
static bool each_segment(long maker, void (*visit)(long id))
{
    static char text[64 << 10];
    long got = bpor_descriptors_read("/proc/sysvipc/shm", text, sizeof text);
    for (const char *line = got > 0 ? strchr(text, '\n') : NULL; line && line[1]; line = strchr(line + 1, '\n'))
        if (read_segment(line + 1).maker == maker && read_segment(line + 1).changed >= loaded_at - ALLOWANCE)
            visit(read_segment(line + 1).id);
    return got < (long)sizeof text - 1;
}

static void remove_segment(long id)
{
    sys_call3(SYS_shmctl, id, IPC_RMID, 0);
}

void bpor_shared_remove_segments(int process)
{
    each_segment(process, remove_segment);
}

static unsigned found;

static void count_segment(long id)
{
    (void)id;
    found++;
}

/* Attached or not, it has a number under which an execution can find it, lock it and remove it. */
static const char *look_at_system_v(void)
{
    found = 0;
    if (!each_segment(sys_getpid(), count_segment))
        return "there is too much System V shared memory to look for the program's";
    return found ? "System V shared memory, made before the fork point, is shared by all executions" : NULL;
}

const char *bpor_shared_take(void)
{
    if (!bpor_saved_begin())
        return "no file in memory can be made to save what is shared";
    const char *problem = bpor_shared_files_take();
    if (!problem)
        problem = bpor_shared_memory_take();
    return problem ? problem : look_at_system_v();
}

const char *bpor_shared_put_back(void)
{
    const char *problem = bpor_shared_files_put_back();
    return problem ? problem : bpor_shared_memory_put_back();
}

const char *bpor_shared_timers(void)
{
    static const char why[] =
        "a timer that was started before the fork point would run beside the threads; use a thread that sleeps";
    char text[8];
    for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
        struct itimerval timer;
        if (sys_call3(SYS_getitimer, which, &timer, 0) == 0 && (timer.it_value.tv_sec || timer.it_value.tv_usec) &&
            !(which == ITIMER_REAL && bpor_alarm_take(&timer)))
            return why;
    }
    return bpor_descriptors_read("/proc/self/timers", text, sizeof text) > 0 ? why : NULL;
}
