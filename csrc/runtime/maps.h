/* /proc/self/maps, read without libc. */
#ifndef BPOR_MAPS_H
#define BPOR_MAPS_H
#include <stdbool.h>
#include <stdint.h>

enum { MAX_MAPS = 2048, MAPS_BYTES = 256 << 10 };

struct map {
    uintptr_t start;
    uintptr_t end;
    bool writable;
    bool shared;
    bool file_backed;
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
#endif
