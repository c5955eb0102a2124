/* Where things lie in a `struct recent` (memory/recent.h), for the code that our assembler puts in place of callbacks
 * (assembler/fast_path.c). Such code is part of the user's modules, which may be older or newer than the library: if anything
 * here changes, so does the name. A module that asks for a name the library does not have makes calls, as one without that code.
 */
#ifndef BPOR_RECENT_LAYOUT_H
#define BPOR_RECENT_LAYOUT_H

/* The module's pointer, and the row of its table by which the library sets it. */
#define RECENT_NAME "bpor_recent_1"
#define RECENT_POINTER bpor_recent_1

enum recent_mode {
    RECENT_CALL,  /* every access calls */
    RECENT_TABLE, /* an access calls unless the table has it */
    RECENT_ALL,   /* no access calls, whatever it is */
};

enum {
    RECENT_AT_MODE = 0,  /* one byte */
    RECENT_AT_LEFT = 8,  /* the distance from fs to the number of accesses that may go by */
    RECENT_AT_KEYS = 16, /* of each size, the smallest first: of a read, of a write */
    RECENT_AT_SLOTS = 128,
    RECENT_SIZES = 5,
    RECENT_SLOTS = 1 << 15, /* 256 KiB: a nearer cache would hold fewer, but each miss costs ten hits */
};

/* Behind the call of an access that is not counted: a no-op of eight bytes, with a number of ours in it (assembler/marks.h). */
#define RECENT_UNCOUNTED 0x0f, 0x1f, 0x84, 0x00, 0x3c, 0x50, 0x4f, 0x62

/* A slot is the address of an access ^ its key; read and write differ in the highest bit alone. */
#endif
