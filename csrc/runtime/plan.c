/* The process that waits at the fork point reads a plan into memory that no reset restores; the execution unpacks it. */
#include "runtime/plan.h"
#include "beside/search.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <errno.h>
#include <string.h>

enum { PAYLOAD_BYTES = 64 << 20 };

__attribute__((visibility("hidden"))) uint32_t bpor_clears_stacks;

static struct received {
    struct bpor_plan plan;
    const uint16_t *prefix;
    uint8_t *sleepers; /* where they begin in the payload */
    uint8_t *end;
    uint8_t payload[PAYLOAD_BYTES];
} * received;

void bpor_plan_reserve(void)
{
    received = bpor_reserve_kept(sizeof *received);
}

static bool read_fully(void *buffer, size_t bytes)
{
    uint8_t *at = buffer;
    while (bytes > 0) {
        long got = sys_read(bpor->plan_fd, at, bytes);
        if (got == -EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

static bool read_plan(void)
{
    if (!read_fully(&received->plan, sizeof received->plan) || received->plan.bytes > PAYLOAD_BYTES)
        return false;
    received->prefix = (const uint16_t *)received->payload;
    received->sleepers = received->payload + (((size_t)received->plan.prefix_length * sizeof(uint16_t) + 7) & ~(size_t)7);
    return read_fully(received->payload, received->plan.bytes);
}

static void save(unsigned tree)
{
    bpor_search_save(tree);
    bpor_send(BPOR_MESSAGE_END, 0, 0);
}

bool bpor_plan_next(void)
{
    struct bpor_message message;
    while (!bpor_search_active() || !bpor_search_next()) {
        if (bpor_search_answered())
            bpor_send(BPOR_MESSAGE_END, 0, 0);
        if (!read_fully(&message, sizeof message) || message.magic != BPOR_MAGIC)
            return false;
        if (message.type == BPOR_MESSAGE_PLAN)
            return read_plan();
        if (message.type == BPOR_MESSAGE_EXPLORE)
            bpor_search_begin();
        else if (message.type == BPOR_MESSAGE_SAVE)
            save((unsigned)message.a);
        else
            return false;
    }
    return true;
}

void bpor_plan_done(void)
{
    if (bpor_search_active())
        bpor_search_learn();
    else
        bpor_send(BPOR_MESSAGE_END, 0, 0);
}

void bpor_plan_set(const struct bpor_plan *plan, const uint16_t *prefix)
{
    received->plan = *plan;
    received->prefix = prefix;
    received->sleepers = received->end = received->payload;
}

void bpor_plan_first_schedule(void)
{
    enum { FAIR = 2, LONGEST = 1 << 20 };
    const struct bpor_plan plan = {.preemption_bound = BPOR_UNBOUNDED,
                                   .context_bound = BPOR_UNBOUNDED,
                                   .delta_bound = BPOR_UNBOUNDED,
                                   .fair_bound = FAIR,
                                   .max_steps = LONGEST,
                                   .report_from = UINT32_MAX};
    bpor_plan_set(&plan, NULL);
}

void bpor_plan_add_sleeper(unsigned thread, uint32_t accesses)
{
    struct bpor_sleeper sleeper = {thread, accesses};
    memcpy(received->end, &sleeper, sizeof sleeper);
    received->end += sizeof sleeper;
    received->plan.sleepers++;
}

void bpor_plan_add_access(struct bpor_access access)
{
    memcpy(received->end, &access, sizeof access);
    received->end += sizeof access;
}

bool bpor_plan_has(uint32_t flag)
{
    return received->plan.flags & flag;
}

const struct bpor_plan *bpor_plan_received(const uint16_t **prefix)
{
    *prefix = received->prefix;
    return &received->plan;
}

bool bpor_plan_asks_for_states(void)
{
    return bpor_wants_states(&received->plan);
}

void bpor_plan_unpack(void)
{
    uint8_t *at = received->sleepers;
    bpor->plan = received->plan;
    bpor_clears_stacks = bpor_states_are_known();
    bpor->prefix = received->prefix;
    bpor->sleepers = bpor->plan.sleepers;
    for (uint32_t i = 0; i < bpor->sleepers; i++) {
        struct bpor_sleeper header;
        memcpy(&header, at, sizeof header);
        at += sizeof header;
        bpor->sleeper[i] = (struct sleeper){
            .thread = (uint16_t)header.thread, .accesses = header.accesses, .watch = (const struct bpor_access *)at};
        at += header.accesses * sizeof(struct bpor_access);
    }
}
