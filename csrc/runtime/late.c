#include "runtime/late.h"

/* Defined by AddressSanitizer's runtime, in a library or in the program. */
extern void __asan_init(void) __attribute__((weak));

enum { MAX_LATE = 2 * BPOR_MAX_THREADS }; /* a thread is made and detached once */

static struct late {
    uint16_t by;
    uint16_t target;
    uint8_t kind;
    const void *site;
} late[MAX_LATE];
static unsigned lates;

bool bpor_late_needed(void)
{
    return __asan_init != NULL;
}

void bpor_late_add(enum operation_kind kind, const struct thread *target, const void *site)
{
    if (lates == MAX_LATE)
        bpor_refuse("pthread_detach", "too many threads are made and detached at once under AddressSanitizer");
    late[lates++] = (struct late){bpor_self->id, target->id, (uint8_t)kind, site};
}

static bool take_first(struct late *first)
{
    for (unsigned i = 0; i < lates; i++)
        if (late[i].by == bpor_self->id) {
            *first = late[i];
            for (lates--; i < lates; i++)
                late[i] = late[i + 1];
            return true;
        }
    return false;
}

void bpor_late_make(void)
{
    struct late one;
    while (lates > 0 && take_first(&one)) {
        bpor_operation_before_late(one.kind, one.site)->target = one.target;
        bpor_step();
        if (one.kind == OP_SPAWN)
            bpor_thread_begin(&bpor->thread[one.target]);
    }
}
