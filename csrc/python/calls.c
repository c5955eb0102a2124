/* The interpreter is not instrumented, so what an extension keeps in its containers would be invisible, and a search that leaves
 * out what it cannot see proves nothing. So instrumented modules call functions of ours instead, which tell of the access and
 * pass the call on. */
#include "python/calls.h"
#include "memory/memory.h"
#include "python/gil.h"
#include "python/layout.h"
#include "python/parsed.h"
#include "python/references.h"
#include "python/slots.h"
#include "python/spread.h"
#include "python/uses.h"
#include "race/race.h"
#include "runtime/objects.h"
#include <string.h>

enum { VALUE, DICT = BPOR_CONTAINER_DICT, LIST = BPOR_CONTAINER_LIST, SET = BPOR_CONTAINER_SET, OBJECT = BPOR_CONTAINER_OBJECT };
enum { READ = OP_CONTAINER_READ, WRITE = OP_CONTAINER_WRITE, NEITHER = OP_COUNT };
enum touched { NONE, ONE, TWO, VECTOR };
enum { ARGUMENTS = 6, WORD = sizeof(uintptr_t), FOUR = 4, VIEW = 80 }; /* VIEW: bytes of a Py_buffer */

typedef uintptr_t call(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

enum function {
#define CALL(name, kind, access, touched, given) FUNCTION_##name,
#include "python/calls.def"
    FUNCTIONS
};

static const struct row {
    uint8_t kind;
    uint8_t access;
    uint8_t touched;
    uint8_t given;
    enum effect { NO_EFFECT, STEALING, COUNTING, ENDING, MERGING } effect;
    struct parsing parsing;
} rows[FUNCTIONS] = {
#define CALL(name, kind, access, touched, given) {kind, access, touched, given, NO_EFFECT, {0, 0}},
#define STEALS(name, kind, access, touched, given) {kind, access, touched, given, STEALING, {0, 0}},
#define COUNTS(name) {VALUE, NEITHER, NONE, 1, COUNTING, {0, 0}},
#define ENDS(name) {VALUE, NEITHER, NONE, 1, ENDING, {0, 0}},
#define MERGES(name) {VALUE, NEITHER, NONE, 0, MERGING, {0, 0}},
#define PARSES(name, given, format, first) {VALUE, NEITHER, NONE, given, NO_EFFECT, {format, first}},
#include "python/calls.def"
};

static const struct uses uses[FUNCTIONS] = {
#define TAKES(name, given, texts, words, ints, rest, at) [FUNCTION_##name] = {texts, words, ints, rest, at},
#define USES(name, texts, words, ints, rest, at) [FUNCTION_##name] = {texts, words, ints, rest, at},
#define CALL(name, kind, access, touched, given)
#include "python/calls.def"
};

static call *interpreters[FUNCTIONS];

/* ---- the memory of a container that macros of the interpreter's headers access ---- */

struct part {
    uintptr_t address;
    size_t bytes;
};
enum { MOST_PARTS = 2 };

static unsigned parts_of(unsigned kind, uintptr_t container, struct part part[MOST_PARTS])
{
    size_t header = bpor_layout_header();
    if (kind == DICT || kind == SET) {
        part[0] = (struct part){container + header, 2 * sizeof(size_t)};
        return 1;
    }
    if (kind != LIST)
        return 0;
    const struct list_body *list = (const struct list_body *)(container + header);
    part[0] = (struct part){(uintptr_t)list, sizeof *list};
    part[1] = (struct part){(uintptr_t)list->items, (size_t)list->size * sizeof(void *)};
    return 2;
}

static void touch_parts(struct operation *op, unsigned kind, uintptr_t container, bool write)
{
    struct part part[MOST_PARTS];
    uint64_t site;
    for (unsigned i = parts_of(kind, container, part); i-- > 0;)
        if (part[i].bytes && bpor_visible_place(part[i].address, part[i].bytes))
            bpor_touch(op, bpor_canonical(part[i].address, BPOR_CLASS_MEMORY, &site), (uint32_t)part[i].bytes, write);
}

/* Against the plain accesses before it; those after it come before it in another schedule. */
static void check_parts(unsigned kind, uintptr_t container, bool write)
{
    struct part part[MOST_PARTS];
    for (unsigned i = bpor_checks == CHECK_RACES ? parts_of(kind, container, part) : 0; i-- > 0;)
        if (part[i].bytes)
            bpor_shadow_atomic(bpor_self, part[i].address, part[i].bytes, write);
}

/* ---- the objects of a call ---- */

static void touch(struct operation *op, uintptr_t object, bool write)
{
    uint64_t allocation_site = 0, identity = bpor_canonical(object, BPOR_CLASS_CONTAINER, &allocation_site);
    bpor_emit_place(identity, object, allocation_site);
    bpor_touch(op, identity, 1, write);
}

static void touch_all(struct operation *op, const struct row *row, const uintptr_t *argument)
{
    bool write = row->access == WRITE;
    uintptr_t first = argument[0];
    if (row->touched != VECTOR) {
        touch(op, row->kind == OBJECT ? bpor_layout_bound_to(first) : first, write);
        if (row->touched == TWO && bpor_layout_is_mutable(argument[1]) && argument[1] != first)
            touch(op, argument[1], false);
        return;
    }
    uintptr_t self = bpor_layout_bound_to(first), other = bpor_layout_argument(argument[1], argument[2], 0);
    touch(op, self, write);
    if (other && other != self && bpor_layout_is_mutable(other))
        touch(op, other, write);
}

/* The arguments behind the first, once they are in it, or known to whatever is called. */
static void put(const struct row *row, const uintptr_t *argument)
{
    uint64_t site, container = bpor_canonical(argument[0], BPOR_CLASS_CONTAINER, &site);
    uintptr_t other;
    for (unsigned i = 0; row->touched == VECTOR && (other = bpor_layout_argument(argument[1], argument[2], i)) != 0; i++)
        bpor_reference_shared(other, container, 1);
    for (unsigned i = 1; row->given >> i; i++)
        if (row->given >> i & 1 && argument[i])
            (row->effect == STEALING ? bpor_reference_moved : bpor_reference_shared)(argument[i], container, 1);
}

/* With the lock modelled, the order in which it is taken covers what is done under it. */
static void step(const struct row *row, const uintptr_t *argument, const void *site)
{
    struct operation *op = bpor_operation((enum operation_kind)row->access, site);
    touch_all(op, row, argument);
    touch_parts(op, row->kind, argument[0], row->access == WRITE);
    bpor_references_hold(argument, row->given);
    bpor_step();
    bpor_references_let_go(argument, row->given);
    check_parts(row->kind, argument[0], row->access == WRITE);
}

static void visit(unsigned function, const uintptr_t *argument, const void *site)
{
    const struct row *row = &rows[function];
    bool is_of_first = row->touched != NONE || row->effect != NO_EFFECT;
    if (!bpor_controlled() || bpor->unexplored || (is_of_first && argument[0] == 0))
        return;
    bpor->shared->containers |= row->kind;
    bpor_references_called(site);
    if (row->effect == MERGING)
        bpor_reference_settle();
    if (row->effect == ENDING || (row->effect == MERGING && bpor_layout_is_dead(argument[0])))
        bpor_reference_ends(argument[0], false, site);
    for (unsigned i = 0; row->given >> i; i++)
        if (row->given >> i & 1)
            bpor_reference_given(argument[i], site);
    if (bpor->threads == 1)
        return;
    if (row->effect == COUNTING)
        bpor_reference_counts(argument[0], site);
    if (row->access != NEITHER && bpor_gil_is_off())
        step(row, argument, site);
    if (row->access == WRITE || row->effect == STEALING)
        put(row, argument);
}

typedef void told(uintptr_t object, uint64_t source, uint32_t bytes);

static void hand_out(told *tell, uintptr_t container, uintptr_t result)
{
    uint64_t allocation_site;
    if (result && bpor_controlled() && !bpor->unexplored && bpor->threads > 1)
        tell(result, bpor_canonical(container, BPOR_CLASS_CONTAINER, &allocation_site), 1);
}

static void lend(uintptr_t container, uintptr_t result)
{
    hand_out(bpor_reference_lent, container, result);
}

static void give(uintptr_t container, uintptr_t result)
{
    hand_out(bpor_reference_returned, container, result);
}

/* Through an argument: nothing was found where the result says so, or nothing stands there. */
static void give_through(uintptr_t container, uintptr_t result, uintptr_t place)
{
    if ((int)result > 0 && place)
        give(container, *(const uintptr_t *)place);
}

/* Of a container's next entry: its key and, in a dict, its value, where the caller wants them. */
static void lend_through(const uintptr_t *argument, uintptr_t result, unsigned last)
{
    for (unsigned i = 2; (int)result > 0 && i <= last; i++)
        if (argument[i])
            lend(argument[0], *(const uintptr_t *)argument[i]);
}

/* ---- an object that is replaced where it stands ---- */

static uintptr_t load(uintptr_t place, const void *site)
{
    if (place == 0)
        return 0;
    bpor_use_memory(place, WORD, false, site);
    uintptr_t object = *(const uintptr_t *)place;
    if (object && bpor_controlled() && !bpor->unexplored)
        bpor_reference_given(object, site);
    return object;
}

static void store(uintptr_t place, uintptr_t object, const void *site)
{
    if (place == 0)
        return;
    bpor_use_memory(place, WORD, true, site);
    *(uintptr_t *)place = object;
}

/* ---- the functions ---- */

/* Below zero it is unknown, or left to the interpreter. */
static size_t length(uintptr_t given)
{
    return (intptr_t)given > 0 ? given : 0;
}

/* Six words in registers are the arguments of any of them. */
#define ARGUMENTS_OF_CALL const uintptr_t argument[ARGUMENTS] = {a, b, c, d, e, f}
#define TELL_USES(name)                                                                                                          \
    bpor_uses_tell(&uses[FUNCTION_##name], &(struct arguments){argument, NULL, ARGUMENTS}, __builtin_return_address(0))
#define PASS(name)                                                                                                               \
    ARGUMENTS_OF_CALL;                                                                                                           \
    visit(FUNCTION_##name, argument, __builtin_return_address(0));                                                               \
    TELL_USES(name)
#define READS(name, start, bytes)                                                                                                \
    static uintptr_t our_##name(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f)                    \
    {                                                                                                                            \
        ARGUMENTS_OF_CALL;                                                                                                       \
        TELL_USES(name);                                                                                                         \
        bpor_use_memory(start, bytes, false, __builtin_return_address(0));                                                       \
        return interpreters[FUNCTION_##name](a, b, c, d, e, f);                                                                  \
    }
#define READS_TEXT(name) READS(name, a, a ? strlen((const char *)a) + 1 : 0)
#define READS_BYTES(name) READS(name, a, length(b))
#define CALL_THEN(name, then)                                                                                                    \
    static uintptr_t our_##name(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f)                    \
    {                                                                                                                            \
        PASS(name);                                                                                                              \
        uintptr_t result = interpreters[FUNCTION_##name](a, b, c, d, e, f);                                                      \
        then;                                                                                                                    \
        return result;                                                                                                           \
    }
#define WRITES(name, kind, access, touched, given, place, bytes)                                                                 \
    static uintptr_t our_##name(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f)                    \
    {                                                                                                                            \
        PASS(name);                                                                                                              \
        bpor_use_memory(place, bytes, true, __builtin_return_address(0));                                                        \
        return interpreters[FUNCTION_##name](a, b, c, d, e, f);                                                                  \
    }
/* The call is a load, the work and a store, and others may come in between. */
#define REPLACES(name, given)                                                                                                    \
    static uintptr_t our_##name(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f)                    \
    {                                                                                                                            \
        PASS(name);                                                                                                              \
        const void *site = __builtin_return_address(0);                                                                          \
        uintptr_t object = load(a, site);                                                                                        \
        uintptr_t result = interpreters[FUNCTION_##name](a ? (uintptr_t)&object : a, b, c, d, e, f);                             \
        store(a, object, site);                                                                                                  \
        return result;                                                                                                           \
    }
#define LENDS(name, kind, access, touched, given) CALL_THEN(name, lend(a, result))
#define LENDS_THIRD(name, kind, access, touched, given) CALL_THEN(name, lend_through(argument, result, 2))
#define LENDS_ENTRY(name, kind, access, touched, given) CALL_THEN(name, lend_through(argument, result, 3))
#define GIVES(name, kind, access, touched, given) CALL_THEN(name, give(bpor_layout_bound_to(a), result))
#define GIVES_SECOND(name, kind, access, touched, given) CALL_THEN(name, give_through(a, result, b))
#define GIVES_THIRD(name, kind, access, touched, given) CALL_THEN(name, give_through(a, result, c))
/* Where nothing is left to do after the call: the arguments on the stack stay where they are, and the interpreter's function
 * returns to the caller. Two instructions for each of some 250 functions take the compiler a fraction of the time that C
 * functions take. */
#define CALL(name, kind, access, touched, given)                                                                                 \
    static __attribute__((naked)) void our_##name(void)                                                                          \
    {                                                                                                                            \
        __asm__("movl %0, %%r11d\n    jmp bpor_call_spread" ::"i"(FUNCTION_##name));                                             \
    }

call *bpor_call_visit(unsigned function, const uintptr_t *argument, const void *site, const uintptr_t *on_stack);

call *bpor_call_visit(unsigned function, const uintptr_t *argument, const void *site, const uintptr_t *on_stack)
{
    const struct arguments all = {argument, on_stack, ARGUMENTS};
    struct target target;
    visit(function, argument, site);
    bpor_uses_tell(&uses[function], &all, site);
    for (struct targets targets = bpor_parsed_targets(&rows[function].parsing, &all); bpor_parsed_next(&targets, &target);)
        bpor_use_memory(target.place, target.bytes, true, site);
    return interpreters[function];
}

SPREAD("bpor_call_spread", "bpor_call_visit");

#include "python/calls.def"

static const struct slot slots[FUNCTIONS] = {
#define CALL(name, kind, access, touched, given) {#name, (void *)our_##name, (void **)&interpreters[FUNCTION_##name]},
#include "python/calls.def"
};

void bpor_calls_watch(void)
{
    if (bpor->shared->config.gil != BPOR_GIL_NONE)
        bpor_slots_redirect(slots, FUNCTIONS);
}
