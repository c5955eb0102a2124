/* Which loaded modules are the system's, by the names of their files: one table for whoever has to tell them from the program's
 * own. */
#ifndef BPOR_LIBRARIES_H
#define BPOR_LIBRARIES_H
#include <stdbool.h>

/* C and C++ code calls it without knowing. */
bool bpor_library_is_runtime(const char *path);
/* That, or what loads and runs a process, ours included: no variable of it belongs to the program, and no call of it is the
 * program's. */
bool bpor_library_is_system(const char *path);
#endif
