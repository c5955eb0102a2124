#ifndef BPOR_FETCHES_H
#define BPOR_FETCHES_H
/* The read-modify-writes that compute something, once: ROW(width, name, form). */
#define EACH_FETCH(ROW, ...)                                                                                                     \
    ROW(__VA_ARGS__, add, FORM_ADD)                                                                                              \
    ROW(__VA_ARGS__, sub, FORM_SUB)                                                                                              \
    ROW(__VA_ARGS__, and, FORM_AND)                                                                                              \
    ROW(__VA_ARGS__, or, FORM_OR)                                                                                                \
    ROW(__VA_ARGS__, xor, FORM_XOR)                                                                                              \
    ROW(__VA_ARGS__, nand, FORM_NAND)
#endif
