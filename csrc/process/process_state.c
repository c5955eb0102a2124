#include "process/process_state.h"
#include "process/untold.h"
#include "runtime/objects.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"

enum { PIECES = 1 << 12 };

/* Records which threads used a piece of state while another thread existed that had not been joined, and whether any thread has
 * read it: the order of writers does not matter if nobody reads. */
static struct piece {
    uint64_t name; /* 0: free */
    thread_set users;
    thread_set writers;
    bool looked_at;
} * pieces;

void bpor_process_state_reserve(void)
{
    pieces = bpor_reserve(PIECES * sizeof *pieces);
}

static bool explored(enum process_state state)
{
    return bpor->shared->config.process_state >> state & 1;
}

/* A thread that never had company shares nothing. Whether it had is part of its own past: it was created, or it created. */
bool bpor_process_state_matters(void)
{
    return bpor_controlled() && bpor->threads > 1 && !bpor->unexplored && bpor->shared->config.process_state != 0;
}

/* Only a join orders what a thread did before what others do: that it has ended in this schedule does not. */
static bool others_unordered(void)
{
    for (unsigned i = 0; i < bpor->threads; i++)
        if (i != bpor_self->id && !bpor->thread[i].joined)
            return true;
    return false;
}

bool bpor_process_state_meets_others(void)
{
    return bpor_process_state_matters() && others_unordered();
}

/* NULL: the table is full. */
static struct piece *piece_of(uint64_t name)
{
    for (unsigned probe = 0; probe < PIECES; probe++) {
        struct piece *piece = &pieces[(name + probe) % PIECES];
        if (piece->name == 0)
            piece->name = name;
        if (piece->name == name)
            return piece;
    }
    return NULL;
}

static unsigned size_of(const thread_set *set)
{
    unsigned size = 0;
    for (unsigned i = 0; i < set_words(); i++)
        size += (unsigned)__builtin_popcountll(set->word[i]);
    return size;
}

static bool is_shared(const struct piece *piece)
{
    return piece == NULL || (piece->looked_at && size_of(&piece->writers) > 0 && size_of(&piece->users) > 1);
}

bool bpor_state_watched(enum process_state state)
{
    return !explored(state);
}

void bpor_state_note(enum process_state state, uint64_t name, unsigned access)
{
    if (explored(state))
        return;
    struct piece *piece = piece_of(bpor_mix(state + 1, name) | 1);
    if (piece && access & LOOKS)
        piece->looked_at = true;
    if (piece && others_unordered()) {
        set_add(&piece->users, bpor_self->id);
        if (access & CHANGES)
            set_add(&piece->writers, bpor_self->id);
    }
    if (is_shared(piece))
        bpor->shared->shared_state |= 1u << state;
}

bool bpor_state_has_company(enum process_state state, uint64_t name)
{
    const struct piece *piece = explored(state) ? NULL : piece_of(bpor_mix(state + 1, name) | 1);
    return piece && size_of(&piece->users) > 1;
}

static void touch(struct operation *op, struct state_use use)
{
    if (explored(use.state))
        bpor_touch(op, bpor_named_object(BPOR_CLASS_NAME, bpor_mix(UINT32_MAX, use.state)), 1, use.access & CHANGES);
}

bool bpor_states_explored(void)
{
    return bpor && (bpor->shared->config.process_state & ((1u << STATE_COUNT) - 1));
}

void bpor_call_touches(enum call_touches what, const void *site)
{
    struct thread *self = bpor_self;
    if (!bpor_controlled())
        return;
    self->touched = self->touching == site ? self->touched | what : what;
    self->touching = site;
    if (self->touched == (TOUCHES_MEMORY | TOUCHES_STATE))
        bpor_untold("a call that moves shared memory from or to files, streams or settings does it in one step");
}

void bpor_states_step(struct state_use one, struct state_use other, const void *site)
{
    static const enum operation_kind kind[STATE_COUNT][2] = {
        {OP_FILES_READ, OP_FILES_WRITE},
        {OP_DIRECTORY_READ, OP_DIRECTORY_WRITE},
        {OP_ENVIRONMENT_READ, OP_ENVIRONMENT_WRITE},
        {OP_RANDOM_READ, OP_RANDOM_WRITE},
        {OP_STATICS_READ, OP_STATICS_WRITE},
        {OP_STREAMS_READ, OP_STREAMS_WRITE},
        {OP_DESCRIPTORS_READ, OP_DESCRIPTORS_WRITE},
        {OP_SETTINGS_READ, OP_SETTINGS_WRITE},
        {OP_NUMBERS_READ, OP_NUMBERS_WRITE},
    };
    if (!explored(one.state) && !explored(other.state))
        return;
    struct state_use named = explored(one.state) ? one : other;
    bpor_call_touches(TOUCHES_STATE, site);
    struct operation *op = bpor_operation(kind[named.state][(named.access & CHANGES) != 0], site);
    touch(op, one);
    if (other.state != one.state)
        touch(op, other);
    bpor_step();
}

void bpor_state_step(enum process_state state, unsigned access, const void *site)
{
    struct state_use use = {state, access};
    bpor_states_step(use, use, site);
}

void bpor_numbers_touch(struct operation *op)
{
    if (bpor_process_state_matters())
        touch(op, (struct state_use){STATE_NUMBERS, CHANGES});
}

void bpor_piece_touch(struct operation *op, enum process_state state, uint64_t piece, unsigned access)
{
    if (!bpor_process_state_matters())
        return;
    bpor_state_note(state, piece, access);
    touch(op, (struct state_use){state, access});
}

void bpor_piece_use(enum process_state state, uint64_t piece, unsigned access, const void *site)
{
    if (!bpor_process_state_matters())
        return;
    bpor_state_note(state, piece, access);
    bpor_state_step(state, access, site);
}

void bpor_state_use(enum process_state state, unsigned access, const void *site)
{
    bpor_piece_use(state, 0, access, site);
}
