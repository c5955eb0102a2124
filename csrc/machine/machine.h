/* Machine code of modules that were not compiled for us: patched once, before the program begins; from then on each access of its
 * memory is told like an instrumented one's. */
#ifndef BPOR_MACHINE_H
#define BPOR_MACHINE_H
#include "machine/blob.h"
#include "protocol/protocol.h"
#include <stdbool.h>
#include <stddef.h>

struct dl_phdr_info;

/* Patches every module that the controller's list names; the answer lies in shared->machine. */
void bpor_machine_patch(struct bpor_shared *shared);
/* The program may have loaded more of them: before it looks for their functions, and before it makes a thread. */
void bpor_machine_patch_loaded(void);

/* The string functions that the module calls tell their accesses from now on (strings.c). */
void bpor_machine_redirect(const struct dl_phdr_info *info);
/* Our function in place of libc's of this name; NULL: libc's own serves. */
void *bpor_machine_telling(const char *name);

/* Is machine code of any module patched? */
bool bpor_machine_in_use(void);

/* Registers of the program at a site, as the trampoline and the hook pushed them. */
struct site_frame {
    uint64_t r15, r14, r13, r12, rbx, rbp;
    uint64_t trampoline; /* where the hook returns to */
    uint64_t r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax, flags;
    uint64_t instruction; /* address of the site */
};

/* A hash of the program's general registers at a site, by where its stack begins there. */
uint64_t bpor_machine_registers(const uint64_t *stack);

/* What trampolines call. General registers only, unless the access needs more than a look (quick.c). */
__attribute__((visibility("hidden"))) void bpor_machine_hook(void);
/* Nothing is to be done about the access. */
bool bpor_machine_quick(uintptr_t address, const struct site *site);
/* After a plain access was told: it may be marked. */
void bpor_machine_told(uintptr_t address, const struct site *site);
/* True: the instruction was done in its place. The vector registers are saved. `mask`: of SITE_MASKED. */
bool bpor_machine_tell(uintptr_t address, const struct site *site, struct site_frame *frame, uint64_t mask);

/* The same for a string instruction (elements.c). */
bool bpor_machine_string(const struct site *site, struct site_frame *frame, const void *behind);

/* While it is on, _Unwind_Backtrace finds its way through trampolines. */
void bpor_machine_unwindable(bool on);
/* An address in a trampoline as one of the module: where the group begins that stands there; any other address as it is. */
uintptr_t bpor_machine_original(uintptr_t address);
/* A blob that is in use, for the above, and where its module lies. */
void bpor_machine_add_blob(const struct blob *blob, uintptr_t base, size_t answer);
/* The next one that lies over these addresses, from `number` on, which then is the one behind it; NULL: no more. */
const struct blob *bpor_machine_overlapping(unsigned *number, uintptr_t start, uintptr_t end, uintptr_t *base, size_t *answer);

/* Of trampolines in which this address lies; NULL: of none. */
const struct blob *bpor_machine_blob_around(uintptr_t address);
/* Each that is in use, writable for as long as that takes. */
void bpor_machine_each_blob(void (*change)(struct blob *blob));

/* There are breakpoint instructions of ours from now on. */
void bpor_machine_expect_traps(void);
bool bpor_machine_traps(void);
/* The trampoline of the one at this address; 0: it is not ours. */
uintptr_t bpor_machine_trapped(uintptr_t address);

/* A line of shared->machine about a module; an empty problem: it is patched. */
void bpor_machine_answer(struct bpor_shared *shared, const char *path, size_t path_bytes, const char *problem);
/* The program makes memory writable. If it is patched code, that becomes what it was: the program knows its own code, and may
 * look at what it changes. The module tells nothing from then on, and the controller hears of it. */
void bpor_machine_writable(uintptr_t start, size_t bytes);
#endif
