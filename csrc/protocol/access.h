/* Limits, and what an operation touches: objects by their canonical addresses. A part of protocol.h. */
#ifndef BPOR_PROTOCOL_ACCESS_H
#define BPOR_PROTOCOL_ACCESS_H
#include <stdint.h>
/* cffi: begin */

enum {
    BPOR_MAGIC = 0x524f5042, /* "BPOR" */
    BPOR_VERSION = 1,
    BPOR_MAX_THREADS = 1016, /* per execution, finished ones included; fewer than the tags of an epoch (race.h) */
    BPOR_THREAD_WORDS = 16,  /* BPOR_MAX_THREADS / 64, rounded up */
    BPOR_NO_THREAD = 0xffff,
    BPOR_UNBOUNDED = 0xffffffff,
    BPOR_FAIR_ENOUGH = 512, /* a fair bound under which loops that only count their rounds show it (circle.c) */
    BPOR_FIRST_HASH = 1,    /* of an execution without a step */
    BPOR_INLINE_ACCESSES = 3,
    BPOR_MAX_ACCESSES = 64,   /* of one operation */
    BPOR_HALF_EVENTS = 16384, /* events in one half of the event buffer */
    BPOR_MAX_FRAMES = 64,     /* of a native stack */
    BPOR_MESSAGE_BYTES = 1024,
    BPOR_MODULE_BYTES = 65536,
    BPOR_PATH_BYTES = 4096
};

/* An object's identity is its canonical address, equal in equivalent executions:
 *   bits 63..60 class   59..58 place   57..32 region   31..0 offset
 * A memory access covers `size` bytes from there; every other object has size 1. Two accesses share an object iff their ranges
 * overlap. */
enum bpor_object_class {
    BPOR_CLASS_MEMORY = 0,
    BPOR_CLASS_SYNC = 1,
    BPOR_CLASS_QUEUE = 2, /* the waiters of a futex word: another object than the word */
    BPOR_CLASS_THREAD = 3,
    BPOR_CLASS_FILE = 4,      /* pipes, eventfds, sockets, FILEs */
    BPOR_CLASS_NAME = 5,      /* named semaphores */
    BPOR_CLASS_CONTAINER = 6, /* what a Python container holds: another object than its memory */
    BPOR_CLASS_PROCESS = 7    /* who may end it (model/thread_end.c) */
};
enum bpor_object_place {
    BPOR_PLACE_STATIC = 0, /* region: module number; offset: from its load address */
    BPOR_PLACE_HEAP = 1,   /* region: hash of (allocating thread, its n-th allocation) */
    BPOR_PLACE_STACK =
        2, /* region: hash of the thread, another for thread-local; offset: 0xfffff000 at its first frame, or pointer */
    BPOR_PLACE_OTHER = 3 /* anything else: the address itself */
};

struct bpor_access {
    uint64_t object;
    uint32_t size;
    uint32_t write;
};
/* cffi: end */
#endif
