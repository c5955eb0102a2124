/* The loader tells everybody which memory of a module can be written. A garbage collector reads all of it, word by word, to look
 * for pointers to its blocks: ours is 15 MB, has none, and each word that is read under control is an access that is seen. So the
 * loader's table of our segments, which lies in memory, says that they can be read only. The loader itself has used it already,
 * and whoever unwinds or looks for code does not ask whether a segment can be written. */
#include "process/own_data.h"
#include "runtime/sys.h"
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden"))); /* from the linker: where this library begins */

enum { PAGE = 4096 };

void bpor_own_data_hide(void)
{
    ElfW(Phdr) *headers = (ElfW(Phdr) *)((uintptr_t)&__ehdr_start + __ehdr_start.e_phoff);
    uintptr_t start = (uintptr_t)headers & ~(uintptr_t)(PAGE - 1), end = (uintptr_t)(headers + __ehdr_start.e_phnum);
    if (sys_call3(SYS_mprotect, start, (long)(end - start), PROT_READ | PROT_WRITE) != 0)
        return;
    for (unsigned i = 0; i < __ehdr_start.e_phnum; i++)
        headers[i].p_flags &= ~(ElfW(Word))PF_W;
    sys_call3(SYS_mprotect, start, (long)(end - start), PROT_READ);
}
