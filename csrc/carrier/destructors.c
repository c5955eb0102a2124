/* Thread-end work in POSIX order: thread_local objects first, newest first; then keys, up to four rounds.
 * A parked thread never reaches libc's own exit tail, so this is the only place where they run. */
#include "carrier/destructors.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <limits.h>

struct cleanup_entry {
    void (*destructor)(void *);
    void *object;
    struct cleanup_entry *next;
};

enum { MAX_ENTRIES = 4096 };
static struct cleanup_entry entry[MAX_ENTRIES];
static unsigned entries;
static void (*key_destructor[PTHREAD_KEYS_MAX])(void *);
static pthread_key_t keys_end; /* no key from here on has a destructor: most programs have none at all */

int bpor_destructor_add(void (*destructor)(void *), void *object)
{
    struct thread *self = bpor_self;
    if (self->id == 0)
        return 0; /* main's run at exit, by libc, still under control */
    if (entries == MAX_ENTRIES)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 4096 thread_local objects with destructors");
    struct cleanup_entry *added = &entry[entries++];
    *added = (struct cleanup_entry){destructor, object, self->destructors};
    self->destructors = added;
    return 1;
}

void bpor_key_created(pthread_key_t key, void (*destructor)(void *))
{
    if (key >= PTHREAD_KEYS_MAX)
        return;
    key_destructor[key] = destructor;
    if (destructor && keys_end <= key)
        keys_end = key + 1;
}

void bpor_key_deleted(pthread_key_t key)
{
    if (key < PTHREAD_KEYS_MAX)
        key_destructor[key] = NULL;
}

static bool run_keys_once(void)
{
    bool ran = false;
    for (pthread_key_t key = 0; key < keys_end; key++) {
        void *value = key_destructor[key] ? REAL(pthread_getspecific)(key) : NULL;
        if (value == NULL)
            continue;
        REAL(pthread_setspecific)(key, NULL);
        key_destructor[key](value);
        ran = true;
    }
    return ran;
}

void bpor_run_thread_destructors(void)
{
    struct thread *self = bpor_self;
    while (self->destructors) {
        struct cleanup_entry *first = self->destructors;
        self->destructors = first->next;
        first->destructor(first->object);
    }
    for (unsigned round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++)
        if (!run_keys_once())
            break;
}
