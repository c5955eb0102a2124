/* The callbacks' prototypes, and how a module with the stub inside meets the preload library. */
#ifndef BPOR_CALLBACKS_H
#define BPOR_CALLBACKS_H
#include <stdint.h>

typedef uint8_t value8;
typedef uint16_t value16;
typedef uint32_t value32;
typedef uint64_t value64;
typedef unsigned __int128 value128;

#define CALLBACK(result, name, parameters, arguments) result name parameters;
#include "instrument/callbacks.def"
#undef CALLBACK

/* Of the functions that are linked into every module. */
#define HIDDEN __attribute__((visibility("hidden")))

/* One row of a module's table: what the callback of this name jumps to. */
struct bpor_callback {
    const char *name;
    void *function;
};

/* Called by the constructor of every module that has the stub inside: the library puts its own functions into the table. */
void bpor_attach(struct bpor_callback *table, unsigned long rows);
#endif
