/* The size of a page: x86-64 has no other for what we track. */
#ifndef BPOR_PAGE_H
#define BPOR_PAGE_H
enum { PAGE = 4096 };
#endif
