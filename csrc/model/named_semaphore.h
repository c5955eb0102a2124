/* Named semaphores, as a private name space of each execution. */
#ifndef BPOR_NAMED_SEMAPHORE_H
#define BPOR_NAMED_SEMAPHORE_H
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

/* What sem_open or sem_unlink asked for, and the answer. `name` comes without its leading slashes. */
struct name_request {
    const char *name;
    int flags;
    unsigned value;
    sem_t *semaphore;
};

enum { SEMAPHORE_NAME_MAX = 251 }; /* NAME_MAX without libc's prefix "sem." */

/* Each returns an error number. They are what the steps perform; before the fork point they are called directly. */
int bpor_name_open(struct name_request *request, bool *created);
int bpor_name_unlink(const struct name_request *request);
int bpor_name_close(sem_t *semaphore);

uint64_t bpor_name_object(const char *name);
/* The name under which a semaphore was made, or NULL: not one of ours, or closed. */
/* The object of any semaphore, named or not. */
struct object *bpor_semaphore_object(sem_t *semaphore);
const char *bpor_name_of(const sem_t *semaphore);
uint64_t bpor_name_instance(const sem_t *semaphore);
bool bpor_name_is_closed(const sem_t *semaphore);
#endif
