/* One anonymous mapping per table; never returned. */
#include "runtime/reserve.h"
#include "runtime/sys.h"
#include <sys/mman.h>

void *bpor_reserve(size_t bytes)
{
    long result = sys_call6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (result < 0 && result > -4096) {
        static const char message[] = "bpor-native: the address space limit of the target is too small for the runtime\n";
        sys_write(2, message, sizeof message - 1);
        sys_exit_group(99);
    }
    return (void *)result;
}
