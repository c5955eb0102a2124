/* Functions found by name while the program runs. A program that asks libc itself for pthread_mutex_lock would wait out of our
 * sight: it gets ours. A library in a namespace of its own, or bound to libc first by RTLD_DEEPBIND, cannot be reached: refused.
 *
 * libc looks at the address of its caller to know what RTLD_NEXT means and where to search for a library. So where we have no
 * answer of our own, we jump to libc's function instead of calling it. */
#define _GNU_SOURCE
#include "intercept/linking.h"
#include "machine/machine.h"
#include "memory/instrumented.h"
#include "process/asked.h"
#include "process/dynamic.h"
#include "process/process_state.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "trust/trust.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>

static const char *past_us; /* the call before the fork point that put code out of our sight */

static const char *const intercepted[] = {
#define FUNCTION(identifier, family) #identifier,
#include "protocol/intercepted.def"
#undef FUNCTION
};

static int number_of(const char *name)
{
    for (int i = 0; i < REAL_COUNT; i++)
        if (strcmp(intercepted[i], name) == 0)
            return i;
    return -1;
}

/* A module that defines the name itself asks for the definition behind its own, as we do. */
static bool wraps(const void *caller, const char *name)
{
    return bpor_dynamic_defined_at(caller, name) != NULL;
}

/* Ours, where libc's answer would be what stands behind ours; NULL: libc answers. */
static void *answer(void *handle, const char *name, const void *caller, void *found)
{
    int number = bpor != NULL && bpor->attached && handle != RTLD_DEFAULT ? number_of(name) : -1;
    if (number < 0 || (handle == RTLD_NEXT ? wraps(caller, name) : found == NULL || found != bpor_real(number)))
        return NULL;
    return bpor_dynamic_defined_at((const void *)number_of, name);
}

/* An unknown name leaves a text for dlerror behind; libc is asked again, by the jump, and leaves the same. */
static void *found_by_handle(void *handle, const char *name)
{
    return handle == RTLD_NEXT || handle == RTLD_DEFAULT ? NULL : REAL(dlsym)(handle, name);
}

/* Code whose accesses are seen is given a function that tells its own, as where it calls it by a slot (machine/strings.c). */
static void *answer_telling(void *handle, const char *name, const void *caller)
{
    void *telling = bpor_instrumented_code(caller) ? bpor_machine_telling(name) : NULL;
    return telling && bpor_dynamic_is_libcs(REAL(dlsym)(handle, name)) ? telling : NULL;
}

/* What is loaded is the same for all threads, and whether something is can be asked for. */
static void modules_use(unsigned access, const void *site)
{
    bpor_piece_use(STATE_SETTINGS, LOADED_MODULES, access, site);
}

static void *answer_symbol(void *handle, const char *name, const void *caller)
{
    if (handle == RTLD_DEFAULT || handle == RTLD_NEXT)
        modules_use(LOOKS, caller);
    bpor_machine_patch_loaded();
    bpor_trust_look();
    void *ours = answer(handle, name, caller, found_by_handle(handle, name));
    return ours ? ours : answer_telling(handle, name, caller);
}

static void refuse(const char *call)
{
    if (bpor_controlled())
        bpor_refuse(call, "the library would call libc out of our sight; use dlopen without RTLD_DEEPBIND");
    if (bpor != NULL && bpor->attached && past_us == NULL)
        past_us = call;
}

static void look_at_open(const char *path, int flags, const void *site)
{
    if (path != NULL)
        bpor_asked_note(AT_FDCWD, path, strchr(path, '/') ? ASKED_FOR : ASKED_TO_LOAD);
    modules_use(path == NULL || flags & RTLD_NOLOAD ? LOOKS : LOOKS | CHANGES, site);
    if (path != NULL && flags & RTLD_DEEPBIND)
        refuse("dlopen with RTLD_DEEPBIND");
}

static void look_at_namespace(Lmid_t space)
{
    if (space != LM_ID_BASE)
        refuse("dlmopen");
}

void bpor_linking_begin_execution(void)
{
    if (past_us)
        refuse(past_us);
}

/* A real jump, not a call: see above. */
#define JUMPS INTERCEPT __attribute__((optimize("O2", "optimize-sibling-calls")))

JUMPS void *dlsym(void *restrict handle, const char *restrict name)
{
    void *ours = answer_symbol(handle, name, CALL_SITE);
    return ours ? ours : REAL(dlsym)(handle, name);
}

JUMPS void *dlvsym(void *restrict handle, const char *restrict name, const char *restrict version)
{
    void *ours = answer_symbol(handle, name, CALL_SITE);
    return ours ? ours : REAL(dlvsym)(handle, name, version);
}

JUMPS void *dlopen(const char *path, int flags)
{
    look_at_open(path, flags, CALL_SITE);
    return REAL(dlopen)(path, flags);
}

JUMPS void *dlmopen(Lmid_t space, const char *path, int flags)
{
    look_at_namespace(space);
    look_at_open(path, flags, CALL_SITE);
    return REAL(dlmopen)(space, path, flags);
}

INTERCEPT int dlclose(void *handle)
{
    modules_use(LOOKS | CHANGES, CALL_SITE);
    return REAL(dlclose)(handle);
}
