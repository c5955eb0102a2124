/* Copies of structures that gcc makes in place (assembler/copies.c): told when they are made, in two steps where others look, as
 * those of memcpy are. */
#include "instrument/callbacks.h"
#include "instrument/copy_rest.h"
#include "intercept/tsan_string.h"
#include "memory/memory.h"
#include "runtime/real.h"

/* What a thread has told of its copy so far; all zero between copies, because states are compared with it. */
static struct copy {
    char *to;
    char *from;
    size_t bytes; /* 0: everything was told */
    int written;  /* in the first half; negative: so many at the end */
    int read;
    const void *site;
} copies[BPOR_MAX_THREADS];

/* One half of the bytes at `start`. */
static struct plain_part half(const struct copy *copy, char *start, int first, bool other, bool write)
{
    size_t front = first >= 0 ? (size_t)first : copy->bytes - (size_t)-first;
    bool at_front = (first >= 0) != other;
    return (struct plain_part){at_front ? start : start + front,
                               start == NULL ? 0
                               : at_front    ? front
                                             : copy->bytes - front,
                               write};
}

static void tell(const struct copy *copy, bool other)
{
    bpor_plain_accesses(half(copy, copy->from, copy->read, other, false), half(copy, copy->to, copy->written, other, true),
                        copy->site);
}

static void begin(struct copy copy, const void *site)
{
    if (bpor_self == NULL)
        return;
    copy.site = site;
    bool shared = (copy.to && bpor_string_others_look(copy.to, copy.bytes)) ||
                  (copy.from && bpor_string_others_look(copy.from, copy.bytes));
    bool parted = shared && (copy.to ? copy.written : copy.read) != (int)copy.bytes;
    copies[bpor_self->id] = parted ? copy : (struct copy){0};
    if (!parted)
        copy.written = copy.read = (int)copy.bytes;
    tell(&copy, false);
}

INTERCEPT void bpor_copy_write(void *to, unsigned long bytes, int first)
{
    begin((struct copy){.to = to, .bytes = bytes, .written = first}, CALL_SITE);
}

INTERCEPT void bpor_copy_read(void *from, unsigned long bytes, int first)
{
    begin((struct copy){.from = from, .bytes = bytes, .read = first}, CALL_SITE);
}

/* The read comes right behind it, and tells of both. */
INTERCEPT void bpor_copy_to(void *to, unsigned long bytes, int first)
{
    if (bpor_self)
        copies[bpor_self->id] = (struct copy){.to = to, .bytes = bytes, .written = first};
}

INTERCEPT void bpor_copy_from(void *from, unsigned long bytes, int first)
{
    if (bpor_self) {
        struct copy copy = copies[bpor_self->id];
        copy.from = from;
        copy.bytes = bytes;
        copy.read = first;
        begin(copy, CALL_SITE);
    }
}

/* Also called where nothing is left. */
INTERCEPT void bpor_copy_other_half(void)
{
    if (bpor_self == NULL || copies[bpor_self->id].bytes == 0)
        return;
    struct copy copy = copies[bpor_self->id];
    copies[bpor_self->id] = (struct copy){0};
    tell(&copy, true);
}

COPY_REST(INTERCEPTED_REST);
