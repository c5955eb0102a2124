/* The variables of the process's environment that are ours. */
#ifndef BPOR_ENVIRONMENT_H
#define BPOR_ENVIRONMENT_H
#include "protocol/protocol.h"

/* Set by the launcher: "shared,plan,events", three descriptors, and more that family.c reads. Each number has this width, because
 * the length of the environment decides where the stack of main begins. */
#define BPOR_ENVIRONMENT "BPOR_NATIVE_DESCRIPTORS"
#define BPOR_DESCRIPTORS "%011d,%011d,%011d,%011d,%011d,%011d,%011d"
#define BPOR_BIND_NOW "LD_BIND_NOW"
#define BPOR_BIND_LAZILY "NO_BIND_NOW" /* as long as the other; means nothing to anybody */

/* The environment becomes what the user gave: ours is taken out, LD_PRELOAD has the user's value again. */
void bpor_environment_restore(const struct bpor_config *config);
/* TMPDIR names the directory that each execution finds empty. */
void bpor_environment_set_temporary(const struct bpor_config *config);
#endif
