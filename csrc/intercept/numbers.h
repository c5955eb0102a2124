/* Numbers of processes and threads that the program gives to the kernel. */
#ifndef BPOR_NUMBERS_H
#define BPOR_NUMBERS_H
#include <sys/types.h>

/* The number by which the kernel knows whom the program means: those that it was told of itself and its threads are ours. */
pid_t bpor_kernel_number(pid_t number);
#endif
