/* What a call does to files, told before it is made (process/process_state.h). */
#ifndef BPOR_FILE_USE_H
#define BPOR_FILE_USE_H
#include "process/process_state.h"
#include <stdio.h>

enum {
    MOVES = 4,   /* the place in the file where the next read or write begins */
    KEEPS = 8,   /* of a name that is opened: what is in the file already stays there */
    DEPENDS = 16 /* and whether it can be opened depends on whether it is there */
};

void bpor_file_use_reserve(void);
/* Contents by descriptor. Pipes, devices and what the tool captures as output are not files. */
void bpor_file_use(int fd, unsigned access, const void *site);
/* The piece that is the contents of an open file; 0: it is none. */
uint64_t bpor_contents_behind(int fd);
/* A name, as *at() functions take it, and what it leads to. Changing a name changes its directory. The text of the name is read.
 */
void bpor_path_use(int directory, const char *path, unsigned access, const void *site);
/* The same path as the kernel knows it: below /proc the program's own numbers are ours, and those of its threads too. It is good
 * for one call. */
const char *bpor_kernel_path(const char *path);
void bpor_kernel_path_reserve(void);
unsigned bpor_opening_access(int flags); /* of open() */
void bpor_opening_use(int directory, const char *path, unsigned access, const void *site);
void bpor_two_paths_use(int from_directory, const char *from, int to_directory, const char *to, const void *site);
/* A walk through directories, taken as one step: `said` is what the verdict says of it. */
void bpor_walk_use(const char *said, const void *site);
/* A call on a stream is a use of the stream, and of its file if the buffer does not do. */
void bpor_stream_read_use(FILE *stream, const void *site);
void bpor_stream_write_use(FILE *stream, size_t bytes, const void *site);
void bpor_stream_flush_use(FILE *stream, const void *site);
void bpor_stream_seek_use(FILE *stream, const void *site);
void bpor_stream_look_use(FILE *stream, const void *site); /* at its flags */
/* A descriptor leads elsewhere from now on; or nowhere, and its number is free. */
void bpor_descriptor_redirected(int fd, const void *site);
void bpor_descriptor_given_up(int fd, const void *site);
/* A call that is about to be made gives a number to a new descriptor. */
void bpor_number_given(const void *site);
/* One led nowhere when it was used: whoever is given its number may be meant. */
void bpor_number_was_free(void);
/* Flags and options of what a descriptor leads to, and locks of its file. */
void bpor_descriptor_use(int fd, unsigned access, const void *site);
void bpor_file_lock_use(int fd, unsigned access, const void *site);
enum { ANY_LENGTH = 1 << 30 }; /* bytes to be written, if nobody knows before: more than any buffer holds */
#endif
