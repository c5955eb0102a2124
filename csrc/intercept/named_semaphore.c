/* sem_open, sem_close, sem_unlink (model/named_semaphore.c). In a controlled program they are ours from the start, also before
 * the fork point: what libc maps there would be shared by all executions. */
#define _GNU_SOURCE
#include "model/named_semaphore.h"
#include "intercept/told.h"
#include "model/rules.h"
#include "runtime/real.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

static bool attached(void)
{
    return bpor != NULL && bpor->attached;
}

/* An error number for a name that libc would not take. */
static int check_name(const char **name)
{
    while (**name == '/')
        ++*name;
    if (**name == '\0' || strchr(*name, '/') || strlen(*name) > NAME_MAX)
        return EINVAL;
    return strlen(*name) > SEMAPHORE_NAME_MAX ? ENAMETOOLONG : 0;
}

static int name_step(enum operation_kind kind, struct name_request *request, const void *site)
{
    struct operation *op = bpor_operation(kind, site);
    bpor_touch(op, bpor_name_object(request->name), 1, true);
    op->argument = (int64_t)(uintptr_t)request;
    return bpor_step();
}

static int open_name(struct name_request *request, const void *site)
{
    bool created;
    int error = check_name(&request->name);
    if (error == 0)
        error = bpor_controlled() ? name_step(OP_SEM_OPEN, request, site) : bpor_name_open(request, &created);
    return error;
}

INTERCEPT sem_t *sem_open(const char *name, int flags, ...)
{
    unsigned mode = 0, value = 0;
    if (flags & O_CREAT) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, unsigned);
        value = va_arg(arguments, unsigned);
        va_end(arguments);
    }
    bpor_told_text(name, CALL_SITE);
    if (!attached())
        return REAL(sem_open)(name, flags, mode, value);
    struct name_request request = {.name = name, .flags = flags, .value = value};
    int error = open_name(&request, CALL_SITE);
    if (error == 0)
        return request.semaphore;
    errno = error;
    return SEM_FAILED;
}

static int unlink_name(struct name_request *request, const void *site)
{
    int error = check_name(&request->name);
    if (error == EINVAL)
        return ENOENT; /* so libc */
    if (error == 0)
        error = bpor_controlled() ? name_step(OP_SEM_UNLINK, request, site) : bpor_name_unlink(request);
    return error;
}

INTERCEPT int sem_unlink(const char *name)
{
    if (!attached())
        return REAL(sem_unlink)(name);
    struct name_request request = {.name = name};
    int error = unlink_name(&request, CALL_SITE);
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

static int close_step(sem_t *semaphore, const void *site)
{
    const char *name = bpor_name_of(semaphore);
    if (name == NULL)
        return EINVAL;
    struct object *object = bpor_semaphore_object(semaphore);
    struct operation *op = bpor_operation(OP_SEM_CLOSE, site);
    bpor_touch_object(op, object, true);
    bpor_touch(op, bpor_name_object(name), 1, true);
    return bpor_step();
}

INTERCEPT int sem_close(sem_t *semaphore)
{
    if (!attached())
        return REAL(sem_close)(semaphore);
    int error = bpor_controlled() ? close_step(semaphore, CALL_SITE) : bpor_name_close(semaphore);
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

/* A named one goes by its name, not by where we happen to keep it. */
struct object *bpor_semaphore_object(sem_t *semaphore)
{
    if (bpor_name_is_closed(semaphore))
        bpor_misuse("use of a named semaphore that is closed");
    struct object *object = bpor_object_known(semaphore, BPOR_CLASS_SYNC);
    if (object)
        return bpor_object(semaphore, BPOR_CLASS_SYNC, FAMILY_SEMAPHORE);
    object = bpor_object(semaphore, BPOR_CLASS_SYNC, FAMILY_SEMAPHORE);
    uint64_t instance = bpor_name_instance(semaphore);
    if (instance) {
        object->id = instance;
        bpor_emit_object(object, 0);
    }
    return object;
}
