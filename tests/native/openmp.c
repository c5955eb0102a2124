/* One construct of OpenMP by KIND, right or WRONG: 1 a loop, 2 critical, 3 atomic, 4 a barrier, 5 tasks. Exits with 1 if it went
 * wrong. LLVM's threads would spin for 200 ms before they block. */
#include <omp.h>
#include <stdlib.h>
#ifndef WRONG
#define WRONG 0
#endif
int main(void)
{
#ifdef __clang__
    kmp_set_blocktime(0);
#endif
    int sum = 0, ready = 0, seen[2] = {0, 0};
#if KIND == 1 /* for */
#if WRONG
#pragma omp parallel for num_threads(2)
#else
#pragma omp parallel for num_threads(2) reduction(+ : sum)
#endif
    for (int i = 0; i < 2; i++)
        sum += i + 1;
    return sum != 3;
#elif KIND == 2 /* critical */
#pragma omp parallel num_threads(2)
    {
#if !WRONG
#pragma omp critical
#endif
        sum += 1;
    }
    return sum != 2;
#elif KIND == 3 /* atomic */
#pragma omp parallel num_threads(2)
    {
#if !WRONG
#pragma omp atomic
#endif
        sum += 1;
    }
    return sum != 2;
#elif KIND == 4 /* barrier */
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        seen[me] = me + 1;
#if !WRONG
#pragma omp barrier
#endif
        if (seen[1 - me] != 2 - me)
            exit(1);
    }
    return 0;
#else /* tasks */
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task shared(ready)
        ready = 1;
#if !WRONG
#pragma omp taskwait
#endif
        sum = ready;
    }
    return sum != 1;
#endif
}
