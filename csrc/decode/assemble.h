/* The input from which a module's blob is made, as the controller passes it (bpor/machine/blob.py declares the same
 * structures). */
#ifndef BPOR_ASSEMBLE_H
#define BPOR_ASSEMBLE_H
#include "machine/blob.h"
#include <stddef.h>

/* A field of 32 bits that depends on where a piece comes to lie, or a place that is listed. */
enum fixup_kind {
    FIX_MODULE,   /* the distance to the item's operand, and `value` */
    FIX_CODE,     /* the distance to this place of the code */
    FIX_SITE,     /* the distance to the site that the piece tells */
    FIX_CONSTANT, /* the distance to this one of the constants */
    FIX_BEHIND,   /* of a look: the distance to what tells the access */
    FIX_FOUND,    /* of what tells an access that was looked at: the distance back, behind the look */
    FIX_LOOK,     /* listed: an instruction that looks at a mark */
    FIX_COUNT,    /* listed: where the distance from fs to the thread's count goes */
    FIX_GATE      /* listed: where it goes on if marks are not looked at */
};

struct fixup {
    uint32_t at; /* in the piece */
    uint32_t kind;
    int64_t value;
};

/* Code that occurs many times. */
struct piece {
    uint32_t code; /* where in `codes` */
    uint32_t bytes;
    uint32_t fixup; /* the first of them */
    uint32_t fixup_count;
    uint32_t site;   /* what it tells: its number and 1; 0: nothing */
    uint32_t behind; /* of a look at marks: the piece that tells the access */
};

/* One instruction of a group. */
struct item {
    uint64_t address;
    uint64_t operand; /* an address of the module that it refers to by a distance */
    uint32_t look;    /* the piece before it; 0: none */
    uint32_t moved;   /* the piece in its place; 0: its own bytes */
    uint64_t bytes;
};

struct group {
    uint64_t island; /* where the jump stands that a short one leads to; 0: here */
    uint32_t items;
    uint8_t bytes;  /* that are overwritten */
    uint8_t traps;  /* by a breakpoint instruction */
    uint8_t leaves; /* it does not go on behind its last instruction */
    uint8_t unused;
};

/* A part of the module that holds code. */
struct stretch {
    uint64_t address;
    uint64_t bytes;
    uint64_t at; /* in `text` */
};

struct assembly {
    const uint8_t *text;
    const struct stretch *stretches;
    uint64_t stretch_count;
    const uint8_t *codes;
    const struct fixup *fixups;
    const struct piece *pieces; /* from 1 */
    const struct site *sites;   /* what all that are alike have in common */
    const uint64_t *constants;
    uint64_t constant_count;
    const struct item *items;
    const struct group *groups;
    uint64_t group_count;
    uint64_t base; /* where the code would lie */
    uint64_t text_low;
    uint64_t text_high;
    uint64_t unused_bytes; /* before the first trampoline */
    uint64_t sets_gs;
    uint64_t vex; /* of every site */
};

/* The blob, to be given back with bpor_forget; NULL: the memory does not suffice, or an address is none of the module's code. */
uint8_t *bpor_assemble(const struct assembly *given, size_t *bytes);
void bpor_forget(uint8_t *blob);
#endif
