/* The runtime's own static memory is not the program's. */
#ifndef BPOR_OWN_DATA_H
#define BPOR_OWN_DATA_H
void bpor_own_data_hide(void);
#endif
