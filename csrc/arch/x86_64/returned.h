/* Addresses that stand in the place of return addresses: whoever returns to one calls bpor_trust_returned with its number, and
 * then returns to where that says, with all registers as they were. */
#ifndef BPOR_RETURNED_H
#define BPOR_RETURNED_H

enum { RETURNED_SLOTS = 256, RETURNED_BYTES = 16, RETURNED_ENTRY = 1 };

/* The first of them; the address that is returned to is RETURNED_ENTRY bytes behind the beginning of its slot. */
extern char bpor_returned_slots[] __attribute__((visibility("hidden")));
#endif
