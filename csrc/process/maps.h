/* /proc/self/maps, read without libc. */
#ifndef BPOR_MAPS_H
#define BPOR_MAPS_H
#include <stdbool.h>
#include <stdint.h>

enum { MAX_MAPS = 8192, MAPS_BYTES = 1 << 20 };

/* What stands behind a mapping that is shared, by its path. */
enum map_path {
    MAP_OF_OTHER,  /* a device, something of the kernel's, or not known */
    MAP_OF_FILE,   /* in a file system */
    MAP_OF_MEMORY, /* anonymous, a file in memory, System V */
};

struct map {
    uintptr_t start;
    uintptr_t end;
    uintptr_t offset; /* in the file that is mapped */
    uintptr_t device; /* which file it is; its number is 0 if there is none */
    uintptr_t inode;
    int protection; /* PROT_READ and its like */
    bool writable;
    bool shared;
    bool file_backed;
    enum map_path path;
    bool special; /* vvar and its like */
    bool stack;   /* of main: the kernel lets it grow down */
    bool ours;    /* the mapping shared with the controller */
};

struct maps {
    unsigned count;
    struct map map[MAX_MAPS];
    char text[MAPS_BYTES];
};

bool bpor_maps_read(struct maps *maps);
/* Into one table that all share, so none of it holds behind the next call. NULL: they cannot be read. */
const struct maps *bpor_maps_now(void);
void bpor_maps_reserve(void);
#endif
