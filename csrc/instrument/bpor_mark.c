/* How the census knows an instrumented module, stripped or not: an ELF note, owner "bpor-native", type 1; it holds the version of
 * the table and, as distances from where they stand, the bounds of the stub's own atomic instructions.
 *
 * A member of its own in the archive, because the constructor of every instrumented file calls __tsan_init and nothing else does:
 * the note is in a module exactly if instrumented code is. Object files of an earlier build, linked by `bpor-native cc`, may
 * bring the stub (a call of memcpy is enough), but never this. */
#include "instrument/callbacks.h"

HIDDEN void bpor_initialise(void);

HIDDEN void __tsan_init(void)
{
    bpor_initialise();
}

/* In assembler: C has no constant for the distance of two symbols. */
__asm__(".pushsection .note.bpor-native, \"a\", @note\n"
        "\t.balign 4\n"
        "\t.long 12, 12, 1\n"
        "\t.asciz \"bpor-native\"\n"
        "\t.long 2\n"
        "\t.hidden __start_bpor_text\n"
        "\t.long __start_bpor_text - .\n"
        "\t.hidden __stop_bpor_text\n"
        "\t.long __stop_bpor_text - .\n"
        ".popsection");
