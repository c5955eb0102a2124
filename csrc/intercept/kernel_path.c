/* Names below /proc. The numbers that the program knows itself and its threads by are ours (random.c); one that it puts into a
 * path is replaced by what the kernel calls it. */
#define _GNU_SOURCE
#include "intercept/file_use.h"
#include "intercept/numbers.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *kernel; /* the path for the call that is made next */

void bpor_kernel_path_reserve(void)
{
    kernel = bpor_reserve(PATH_MAX);
}

/* The number at the beginning of a text, if it is the program's own for itself or a thread; what follows it, or NULL. */
static const char *behind_own_number(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);
    bool own = end > text && number > 0 && number <= INT_MAX && bpor_kernel_number((pid_t)number) == 0;
    return own && (*end == '/' || *end == '\0') ? end : NULL;
}

const char *bpor_kernel_path(const char *path)
{
    static const char proc[] = "/proc/", self[] = "self/", task[] = "/task/";
    if (path == NULL || strncmp(path, proc, sizeof proc - 1) != 0 || !bpor_controlled())
        return path;
    bool is_self = strncmp(path + sizeof proc - 1, self, sizeof self - 1) == 0;
    const char *rest = is_self ? path + sizeof proc - 1 + sizeof self - 2 : behind_own_number(path + sizeof proc - 1);
    if (rest == NULL || strlen(rest) + 32 > PATH_MAX)
        return path;
    const char *of_thread = strncmp(rest, task, sizeof task - 1) == 0 ? behind_own_number(rest + sizeof task - 1) : NULL;
    if (of_thread)
        snprintf(kernel, PATH_MAX, "/proc/self/task/%ld%s", (long)sys_gettid(), of_thread);
    else
        snprintf(kernel, PATH_MAX, "/proc/self%s", rest);
    return kernel;
}
