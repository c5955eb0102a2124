/* Plans are read by whoever waits at the fork point, into memory that a reset leaves alone, and unpacked by the execution. */
#include "runtime/plan.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <errno.h>
#include <string.h>

enum { PAYLOAD_BYTES = 64 << 20 };

static struct received {
    struct bpor_plan plan;
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

bool bpor_plan_read(void)
{
    struct bpor_message message;
    if (!read_fully(&message, sizeof message) || message.magic != BPOR_MAGIC || message.type != BPOR_MESSAGE_PLAN)
        return false;
    if (!read_fully(&received->plan, sizeof received->plan) || received->plan.bytes > PAYLOAD_BYTES)
        return false;
    return read_fully(received->payload, received->plan.bytes);
}

bool bpor_plan_has(uint32_t flag)
{
    return received->plan.flags & flag;
}

void bpor_plan_unpack(void)
{
    uint8_t *at = received->payload;
    bpor->plan = received->plan;
    bpor->prefix = (const uint16_t *)at;
    at += ((size_t)bpor->plan.prefix_length * sizeof(uint16_t) + 7) & ~(size_t)7;
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
