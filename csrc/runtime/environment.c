/* setenv would copy the array of variables into the program's heap when it adds one. The copy's size is that of the user's
 * environment: every block that the program allocates afterwards would lie elsewhere in another environment, and a failure that
 * depends on addresses would not be repeated there. So the values are written into the array that the kernel made. */
#include "runtime/environment.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* "NAME=value" as the array has it; the process keeps pointers to them. */
static char preload[sizeof "LD_PRELOAD=" + sizeof((struct bpor_config *)0)->preload];
static char temporary[sizeof "TMPDIR=" + sizeof((struct bpor_config *)0)->temporary];

/* The kernel's array, and where its terminating null pointer was when the process began. */
static char **kernels, **kernels_end;

static char **end_of(char **array)
{
    while (*array)
        array++;
    return array;
}

static char **find(const char *name)
{
    size_t length = strlen(name);
    for (char **at = environ; *at; at++) {
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            return at;
    }
    return NULL;
}

static void set(const char *name, const char *value, char *text, size_t bytes)
{
    char **place = find(name), **end = end_of(environ);
    snprintf(text, bytes, "%s=%s", name, value);
    if (place) {
        *place = text;
    } else if (environ == kernels && end < kernels_end) { /* where a variable of ours was taken out */
        end[0] = text;
        end[1] = NULL;
    } else {
        setenv(name, value, 1);
    }
}

void bpor_environment_restore(const struct bpor_config *config)
{
    if (environ == NULL)
        return;
    kernels = environ;
    kernels_end = end_of(environ);
    unsetenv(BPOR_ENVIRONMENT);
    unsetenv(BPOR_BIND_LAZILY);
    if (config->bound_now)
        unsetenv(BPOR_BIND_NOW);
    if (config->preload[0])
        set("LD_PRELOAD", config->preload, preload, sizeof preload);
    else
        unsetenv("LD_PRELOAD");
}

void bpor_environment_set_temporary(const struct bpor_config *config)
{
    if (config->temporary[0] && environ)
        set("TMPDIR", config->temporary, temporary, sizeof temporary);
}
