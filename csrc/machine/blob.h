/* A module's trampolines as a file: made by the controller (bpor/machine/blob.py), mapped by the runtime, never decoded here.
 *
 * The file is mapped whole, private, within 2 GiB of its module. Its first page is this header; then the code, the sites, the
 * relocations and the patches. Everything in it is written as if the module lay at 0 and the file at `base`:
 *   code         begins with the 8 bytes where the address of the hook goes and 8 for that of a word which is 0 while plain
 *                accesses need not be told; each trampoline tells its sites to the hook, runs the instructions that its jump took
 *                the place of, and jumps back
 *   constants    8 bytes each, among the code: addresses of the module
 *   relocations  where in the file a 32-bit distance to the module stands
 *   sites        one for each instruction that tells something
 *   patches      what is written over the module's own code
 *   gates        where a trampoline begins to look at marks (filter.h), and where it goes on without
 *   looks        each instruction that looks at one, and where to go on if there is none
 *   counts       where the distance from fs to the thread's count of accesses goes (bpor_plain_left) */
#ifndef BPOR_BLOB_H
#define BPOR_BLOB_H
#include <stdint.h>

#define BLOB_MAGIC "BPORMC06"
enum { BLOB_PAGE = 4096 };

struct blob {
    char magic[8];
    uint64_t base;
    uint64_t text_low; /* of the module: all patches lie in between */
    uint64_t text_high;
    uint32_t code_bytes; /* from BLOB_PAGE on; the sites follow */
    uint32_t site_count;
    uint32_t relocation_count;
    uint32_t patch_count;
    uint32_t relocations; /* where they begin, in the file */
    uint32_t patches;
    uint32_t constants; /* likewise */
    uint32_t constant_count;
    uint32_t gates; /* likewise, and sorted */
    uint32_t gate_count;
    uint32_t looks;
    uint32_t look_count;
    uint32_t counts;
    uint32_t count_count;
    uint32_t sets_gs; /* the module does it by an instruction: marks (filter.h) are not looked at */
    uint32_t unused;
};

/* Two places in the file. */
struct blob_pair {
    uint32_t at;
    uint32_t to;
};

enum site_kind {
    SITE_READ = 1,
    SITE_WRITE = 2,
    SITE_UPDATE = 3, /* reads, then writes, and is not atomic */
    SITE_LOCKED = 4,
    SITE_FENCE = 5,
    SITE_PAUSE = 6,
    SITE_SYSCALL = 7,
    SITE_CLOCK = 8,
    SITE_RANDOM = 9,
    SITE_COPY = 10, /* movs and stos; form 1: repeated */
    SITE_FILL = 11,
    SITE_BIT = 12,   /* of a bit string; form 1: it writes */
    SITE_LOOK = 13,  /* lods, scas, cmps: LOOK_... */
    SITE_MASKED = 14 /* elements of a vector by a mask: MASKED_...; `bytes` of one */
};

enum { MASKED_WRITES = 1, MASKED_PACKED = 2 };
enum { LOOK_REPEATED = 1, LOOK_SCAN = 2, LOOK_COMPARE = 4, LOOK_UNTIL_EQUAL = 8 };

enum { FORM_UNKNOWN = 10 };                             /* of SITE_LOCKED, beside enum atomic_form: what it writes is not known */
enum { SOURCE_IMMEDIATE = 0xff, SOURCE_BIT_OF = 0x40 }; /* not a register; a register with the number of a bit */

struct site {
    uint64_t instruction; /* its address */
    uint8_t kind;         /* site_kind */
    uint8_t bytes;        /* that it accesses */
    uint8_t form;         /* of SITE_LOCKED: enum atomic_form */
    uint8_t source; /* the register with its operand, as the processor numbers them; of SITE_RANDOM the one with its result */
    uint8_t length; /* of the instruction */
    uint8_t vex;    /* its module has instructions with VEX or EVEX prefixes, which alone name masks and vectors 16 to 31 */
    uint8_t unused[2];
    uint64_t operand; /* SOURCE_IMMEDIATE: its operand */
};

/* A jump to a trampoline; a short one to an island, for want of room; the island, which is one of the first kind in padding; a
 * breakpoint instruction, where there is room for nothing else (trap.c). */
enum patch_kind { PATCH_JUMP = 0, PATCH_SHORT = 1, PATCH_ISLAND = 2, PATCH_TRAP = 3 };

struct patch {
    uint64_t address;
    uint32_t target; /* in the file; of a short one in the module */
    uint8_t kind;    /* patch_kind */
    uint8_t bytes;   /* that are overwritten; of a trap only the first is */
    uint16_t unused;
    uint32_t before; /* the first bytes that must be there, four of them at most */
    uint32_t unused_too;
};

_Static_assert(sizeof(struct site) == 24 && sizeof(struct patch) == 24, "as bpor/machine/blob.py writes them");
#endif
