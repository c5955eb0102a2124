/* How the census knows an instrumented module, stripped or not: an ELF note, owner "bpor-native", type 1, version of the table.
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

__attribute__((section(".note.bpor-native"), aligned(4), used)) static const struct {
    uint32_t name_bytes, description_bytes, type;
    char name[12];
    uint32_t version;
} note = {sizeof note.name, sizeof note.version, 1, "bpor-native", 1};
