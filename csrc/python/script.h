/* Where in Python a thread is: for reports that show both languages in one line. */
#ifndef BPOR_SCRIPT_H
#define BPOR_SCRIPT_H
#include "runtime/runtime.h"

/* Described executions: remembers the frames of a thread that has the interpreter. One that has let go of it cannot move in
 * Python: inside an extension's function, what it remembered when it was called still holds. */
void bpor_script_note(struct thread *thread);
void bpor_script_entered(struct thread *thread);
void bpor_script_left(struct thread *thread);
/* Its remembered frames; NULL after the last. */
struct script_frame {
    uint32_t text; /* where in shared->scripts its "function file" begins */
    uint32_t line;
};
/* Appends the line "function file" to shared->scripts unless it is there, and returns its place. UINT32_MAX: there is no room. */
uint32_t bpor_script_keep(const char *function, const char *file);
const struct script_frame *bpor_script_frame(const struct thread *thread, unsigned number);
#endif
