/* Addresses that replace return addresses on the stack: a return to one calls bpor_trust_returned with its number, then continues
 * at the address which that returns, with all registers unchanged. */
#ifndef BPOR_RETURNED_H
#define BPOR_RETURNED_H

enum { RETURNED_SLOTS = 256, RETURNED_BYTES = 16, RETURNED_ENTRY = 1 };

/* The first of them; the address that is returned to is RETURNED_ENTRY bytes behind the beginning of its slot. */
extern char bpor_returned_slots[] __attribute__((visibility("hidden")));
#endif
