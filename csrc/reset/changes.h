/* What an execution changes outside its TMPDIR outlives it, whatever the reset: files, directories, POSIX shared memory by name.
 * Before it changes a name for the first time, what is there is put aside, in a directory of the controller's beside TMPDIR, and
 * noted in a journal; the controller puts it back when the execution has ended (bpor/target/changes.py). What the program does on
 * its way to the fork point has a journal of its own, for when the template is gone. */
#ifndef BPOR_CHANGES_H
#define BPOR_CHANGES_H
#include <stdbool.h>

/* From now on, also in processes that this one forks; the journal is in this directory. */
void bpor_changes_watch(const char *directory);
/* What a name leads to, or whether it leads anywhere. */
void bpor_changes_file(int directory, const char *path);
/* The name itself, which may be a symbolic link's. */
void bpor_changes_name(int directory, const char *path);
void bpor_changes_names(int from_directory, const char *from, int to_directory, const char *to);
/* It was not there until now. */
void bpor_changes_made(const char *path);
/* By the flags of open, the mode of fopen. */
void bpor_changes_open(int directory, const char *path, int flags);
void bpor_changes_stream(const char *path, const char *mode);
#endif
