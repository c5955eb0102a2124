// A C11 mutex is destroyed while it is held.
// says: destroy
// bound none: misuse, traces 1
#include <threads.h>

int main(void)
{
    mtx_t mutex;
    mtx_init(&mutex, mtx_plain);
    mtx_lock(&mutex);
    mtx_destroy(&mutex);
    return 0;
}
