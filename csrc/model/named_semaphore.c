/* Named semaphores. libc's live in files that outlast an execution, so the next one would see what this one left: here they live
 * in the process, and with the fork every execution starts with the names that the program had at the fork point.
 *
 * A name is an object that opening reads and creating, unlinking and closing write; the semaphore behind it is another, known by
 * name and by how many there were of that name before it. */
#define _GNU_SOURCE
#include "model/named_semaphore.h"
#include "model/rules.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct named {
    char name[SEMAPHORE_NAME_MAX + 1];
    bool linked; /* sem_open finds it */
    unsigned opens;
    uint64_t instance; /* canonical */
    sem_t semaphore;
};

enum { MAX_NAMED = 256 };
static struct named pool[MAX_NAMED];
static unsigned used;

uint64_t bpor_name_object(const char *name)
{
    uint64_t hash = 7;
    for (const char *at = name; *at; at++)
        hash = bpor_mix(hash, (uint8_t)*at);
    return bpor_named_object(BPOR_CLASS_NAME, hash);
}

static struct named *linked_as(const char *name)
{
    for (unsigned i = 0; i < used; i++)
        if (pool[i].linked && strcmp(pool[i].name, name) == 0)
            return &pool[i];
    return NULL;
}

static unsigned times_made(const char *name)
{
    unsigned times = 0;
    for (unsigned i = 0; i < used; i++)
        times += strcmp(pool[i].name, name) == 0;
    return times;
}

static struct named *named_at(const sem_t *semaphore)
{
    for (unsigned i = 0; i < used; i++)
        if (&pool[i].semaphore == semaphore && pool[i].opens > 0)
            return &pool[i];
    return NULL;
}

const char *bpor_name_of(const sem_t *semaphore)
{
    const struct named *named = named_at(semaphore);
    return named ? named->name : NULL;
}

uint64_t bpor_name_instance(const sem_t *semaphore)
{
    const struct named *named = named_at(semaphore);
    return named ? named->instance : 0;
}

bool bpor_name_is_closed(const sem_t *semaphore)
{
    uintptr_t offset = (uintptr_t)semaphore - (uintptr_t)pool;
    return offset < sizeof pool && named_at(semaphore) == NULL;
}

static bool hidden(const char *name)
{
    return times_made(name) > 0; /* made by us once, or unlinked from outside: the file is out of the program's sight */
}

static bool exists_outside(const char *name)
{
    char path[sizeof "/dev/shm/sem." + SEMAPHORE_NAME_MAX];
    snprintf(path, sizeof path, "/dev/shm/sem.%s", name);
    return !hidden(name) && sys_call3(SYS_access, path, F_OK, 0) == 0;
}

static struct named *make(const char *name)
{
    if (used == MAX_NAMED)
        bpor_refuse("sem_open", "more than 256 named semaphores in one execution");
    uint64_t instance = bpor_mix(bpor_name_object(name), times_made(name) + 1);
    struct named *named = &pool[used++];
    strcpy(named->name, name);
    named->instance = bpor_named_object(BPOR_CLASS_NAME, instance);
    return named;
}

int bpor_name_open(struct name_request *request, bool *created)
{
    struct named *named = linked_as(request->name);
    *created = named == NULL;
    if (named == NULL) {
        if (exists_outside(request->name))
            bpor_refuse("sem_open", "a semaphore of that name exists outside the program, shared with others or left behind; "
                                    "remove it from /dev/shm or unlink it first");
        if (!(request->flags & O_CREAT))
            return ENOENT;
        if (request->value > SEM_VALUE_MAX)
            return EINVAL;
        named = make(request->name);
        named->linked = true;
        REAL(sem_init)(&named->semaphore, 0, request->value);
    } else if ((request->flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) {
        return EEXIST;
    }
    named->opens++;
    request->semaphore = &named->semaphore;
    return 0;
}

int bpor_name_unlink(const struct name_request *request)
{
    struct named *named = linked_as(request->name);
    if (named)
        named->linked = false;
    else if (exists_outside(request->name))
        make(request->name); /* stands for the file, which is ours to hide, not to remove */
    else
        return ENOENT;
    return 0;
}

int bpor_name_close(sem_t *semaphore)
{
    struct named *named = named_at(semaphore);
    if (named == NULL)
        return EINVAL;
    named->opens--;
    return 0;
}

static struct name_request *request_of(const struct thread *thread)
{
    return (struct name_request *)(uintptr_t)thread->op.argument;
}

void semaphore_open_perform(struct thread *thread)
{
    bool created;
    thread->result = bpor_name_open(request_of(thread), &created);
    if (!created)
        thread->op.access[0].write = 0; /* only an unlink or a creation, both writes, could have changed the answer */
}

void semaphore_unlink_perform(struct thread *thread)
{
    thread->result = bpor_name_unlink(request_of(thread));
}

static bool used_by_another(const struct thread *self)
{
    for (unsigned i = 0; i < bpor->threads; i++) {
        const struct thread *other = &bpor->thread[i];
        if (other != self && other->state == THREAD_WAITING && other->op.object == self->op.object &&
            other->op.kind != OP_SEM_CLOSE)
            return true;
    }
    return false;
}

void semaphore_close_perform(struct thread *thread)
{
    sem_t *semaphore = (sem_t *)thread->op.object->address;
    thread->result = bpor_name_close(semaphore);
    if (named_at(semaphore)) {
        thread->op.access[0] = thread->op.access[1]; /* it is still open for others; which close is the last one, all decide */
        thread->op.accesses = 1;
        return;
    }
    if (used_by_another(thread))
        bpor_misuse("close of a named semaphore that another thread is using");
}
