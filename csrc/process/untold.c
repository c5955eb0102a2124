/* Lines that outlive the execution, each once. */
#include "process/untold.h"
#include "process/process_state.h"
#include "runtime/runtime.h"
#include <string.h>

static bool is_listed(const char *what, size_t length)
{
    for (const char *at = bpor->shared->untold; (at = strstr(at, what)); at += length)
        if (at[length] == '\n' && (at == bpor->shared->untold || at[-1] == '\n'))
            return true;
    return false;
}

void bpor_untold(const char *what)
{
    if (bpor_process_state_meets_others())
        bpor_untold_in_any_company(what);
}

void bpor_untold_in_any_company(const char *what)
{
    char *lines = bpor->shared->untold;
    size_t used = strlen(lines), length = strlen(what);
    if (is_listed(what, length) || used + length + 2 > sizeof bpor->shared->untold)
        return;
    memcpy(lines + used, what, length);
    memcpy(lines + used + length, "\n", 2);
}
