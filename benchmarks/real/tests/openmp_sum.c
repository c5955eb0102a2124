// OpenMP: a reduction, a critical section and a barrier, with two threads.
#include <assert.h>

int main(void)
{
    int sum = 0, sections = 0, before = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        sum += 1;
#pragma omp critical
        sections++;
#pragma omp barrier
#pragma omp single
        before = sections;
    }
    assert(sum == 2 && sections == 2 && before == 2);
    return 0;
}
