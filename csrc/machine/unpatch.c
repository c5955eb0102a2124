/* What the controller is told about each module, and code that becomes the program's again because the program writes to it. */
#include "arch/x86_64/page.h"
#include "machine/machine.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <string.h>
#include <sys/mman.h>

/* A library that each execution loads anew has one line. */
static bool is_answered(const char *text, const char *path, size_t path_bytes, const char *problem, size_t problem_bytes)
{
    for (; *text; text = strchr(text, '\n') + 1) {
        const char *rest = text + path_bytes;
        if (strncmp(text, path, path_bytes) == 0 && *rest == (problem_bytes ? '\t' : '\n') &&
            strncmp(rest + (problem_bytes != 0), problem, problem_bytes) == 0)
            return true;
    }
    return false;
}

void bpor_machine_answer(struct bpor_shared *shared, const char *path, size_t path_bytes, const char *problem)
{
    char *text = shared->machine;
    size_t used = strlen(text), room = sizeof shared->machine - used, problem_bytes = strlen(problem);
    if (path_bytes + problem_bytes + 3 > room || is_answered(text, path, path_bytes, problem, problem_bytes))
        return;
    memcpy(text + used, path, path_bytes);
    used += path_bytes;
    if (problem_bytes) {
        text[used++] = '\t';
        memcpy(text + used, problem, problem_bytes);
        used += problem_bytes;
    }
    memcpy(text + used, "\n", 2);
}

/* The patched pages are private copies of the file's pages; once the copies are discarded, the file's contents are back. A thread
 * that is inside a trampoline continues after the group that the trampoline replaced. */
void bpor_machine_writable(uintptr_t start, size_t bytes)
{
    uintptr_t base, end = start + bytes;
    size_t answer;
    const struct blob *blob;
    for (unsigned i = 0; bpor && (blob = bpor_machine_overlapping(&i, start, end, &base, &answer)) != NULL;) {
        uintptr_t low = (base + blob->text_low) & ~(uintptr_t)(PAGE - 1), high = base + blob->text_high;
        const char *path = bpor->shared->machine + answer, *line = strchr(path, '\n');
        sys_call3(SYS_madvise, low, ((high + PAGE - 1) & ~(uintptr_t)(PAGE - 1)) - low, MADV_DONTNEED);
        if (line)
            bpor_machine_answer(bpor->shared, path, (size_t)(line - path), "the program writes to its own code");
    }
}
