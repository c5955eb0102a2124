/* pthread_create and what follows a thread through its life; keys and thread_local destructors, which its end runs. */
#define _GNU_SOURCE
#include "carrier/destructors.h"
#include "intercept/thread_defaults.h"
#include "intercept/told.h"
#include "machine/machine.h"
#include "process/process_state.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/start.h"
#include "runtime/sys.h"
#include "trust/trust.h"
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>

/* Where the handle goes belongs to the creation: threads that are created one after the other are kin nevertheless. */
static void tell_handle(const pthread_t *handle, const void *site)
{
    bool wrote = bpor_self && bpor_self->kin.wrote;
    bpor_told_fill(handle, sizeof *handle, site);
    if (bpor_self)
        bpor_self->kin.wrote = wrote;
}

INTERCEPT int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    bpor_fork_point(BPOR_FORK_AT_FIRST_THREAD);
    bpor_machine_patch_loaded();
    bpor_trust_look();
    bpor_told_read(attributes, sizeof *attributes, CALL_SITE);
    tell_handle(handle, CALL_SITE);
    if (!bpor_controlled())
        return REAL(pthread_create)(handle, attributes, start, argument);
    pthread_attr_t defaults;
    bool given = attributes == NULL && bpor_thread_defaults_given && REAL(pthread_getattr_default_np)(&defaults) == 0;
    int error = bpor_thread_create(handle, given ? &defaults : attributes, start, argument, CALL_SITE);
    if (given)
        pthread_attr_destroy(&defaults);
    return error;
}

/* What the thread gave back is written when it has been joined. */
INTERCEPT int pthread_join(pthread_t handle, void **value)
{
    if (!bpor_controlled())
        return REAL(pthread_join)(handle, value);
    void *result = NULL;
    int error = bpor_thread_join(handle, &result, CALL_SITE);
    if (error == 0)
        bpor_told_store(value, &result, sizeof result, CALL_SITE);
    return error;
}

INTERCEPT int pthread_detach(pthread_t handle)
{
    bpor_piece_use(STATE_SETTINGS, DETACHED_THREADS, CHANGES, CALL_SITE);
    return bpor_controlled() ? bpor_thread_detach(handle, CALL_SITE) : REAL(pthread_detach)(handle);
}

/* libc unwinds the stack; the outermost frame, which is ours, takes over. */
INTERCEPT void pthread_exit(void *value)
{
    if (bpor_controlled()) {
        bpor_self->value = value;
        bpor_self->left_at = CALL_SITE;
    }
    REAL(pthread_exit)(value);
    __builtin_unreachable();
}

INTERCEPT int pthread_getattr_np(pthread_t handle, pthread_attr_t *attributes)
{
    bpor_piece_use(STATE_SETTINGS, DETACHED_THREADS, LOOKS, CALL_SITE);
    bpor_told_fill(attributes, sizeof *attributes, CALL_SITE);
    int error = REAL(pthread_getattr_np)(handle, attributes);
    if (error == 0 && bpor_controlled())
        bpor_thread_attributes(bpor_thread_of(handle), attributes);
    return error;
}

static void name_use(pthread_t handle, unsigned access, const void *site)
{
    const struct thread *thread = bpor_thread_of(handle);
    if (thread)
        bpor_piece_use(STATE_SETTINGS, THREAD_NAMES + thread->id, access, site);
}

INTERCEPT int pthread_setname_np(pthread_t handle, const char *name)
{
    if (!bpor_controlled())
        return REAL(pthread_setname_np)(handle, name);
    bpor_told_text(name, CALL_SITE);
    name_use(handle, CHANGES, CALL_SITE);
    return bpor_thread_set_name(handle, name);
}

INTERCEPT int pthread_getname_np(pthread_t handle, char *name, size_t bytes)
{
    if (!bpor_controlled())
        return REAL(pthread_getname_np)(handle, name, bytes);
    name_use(handle, LOOKS, CALL_SITE);
    bpor_told_room(name, bytes, CALL_SITE);
    int error = bpor_thread_get_name(handle, name, bytes);
    bpor_told_write(name, error ? 0 : (ssize_t)strlen(name) + 1, CALL_SITE);
    return error;
}

/* Its name for the caller's own thread, of which the kernel knows only that which carries it. */
static int own_name(int option, char *name, const void *site)
{
    char room[sizeof bpor_self->given_name] = "";
    bool sets = option == PR_SET_NAME;
    name_use(pthread_self(), sets ? CHANGES : LOOKS, site);
    if (!sets) {
        bpor_thread_get_name(pthread_self(), room, sizeof room);
        bpor_told_store(name, room, sizeof room, site);
        return 0;
    }
    memcpy(room, name, strnlen(name, sizeof room - 1)); /* what is longer is cut */
    bpor_told_read(name, strlen(room) + 1, site);
    return bpor_thread_set_name(pthread_self(), room);
}

INTERCEPT int prctl(int option, ...)
{
    va_list more;
    va_start(more, option);
    unsigned long argument[4];
    for (unsigned i = 0; i < 4; i++)
        argument[i] = va_arg(more, unsigned long);
    va_end(more);
    if (bpor_controlled() && (option == PR_SET_NAME || option == PR_GET_NAME))
        return own_name(option, (char *)argument[0], CALL_SITE);
    if (option == PR_SET_DUMPABLE || option == PR_GET_DUMPABLE)
        bpor_piece_use(STATE_SETTINGS, DUMPABLE, option == PR_SET_DUMPABLE ? CHANGES : LOOKS, CALL_SITE);
    return REAL(prctl)(option, argument[0], argument[1], argument[2], argument[3]);
}

INTERCEPT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    pthread_key_t made = 0;
    bpor_piece_use(STATE_SETTINGS, THREAD_KEYS, LOOKS | CHANGES, CALL_SITE); /* the lowest number that is free */
    int error = REAL(pthread_key_create)(&made, destructor);
    if (error)
        return error;
    bpor_key_created(made, destructor);
    bpor_told_store(key, &made, sizeof made, CALL_SITE);
    return 0;
}

INTERCEPT int pthread_key_delete(pthread_key_t key)
{
    bpor_piece_use(STATE_SETTINGS, THREAD_KEYS, CHANGES, CALL_SITE);
    bpor_key_deleted(key);
    return REAL(pthread_key_delete)(key);
}

INTERCEPT void *pthread_getspecific(pthread_key_t key)
{
    return REAL(pthread_getspecific)(key);
}

INTERCEPT int pthread_setspecific(pthread_key_t key, const void *value)
{
    return REAL(pthread_setspecific)(key, value);
}

int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *module);

INTERCEPT int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *module)
{
    if (bpor_controlled() && bpor_destructor_add(destructor, object))
        return 0;
    return REAL(__cxa_thread_atexit_impl)(destructor, object, module);
}

OLD_NAME(pthread_key_create);
OLD_NAME(pthread_getspecific);
OLD_NAME(pthread_setspecific);
