// OpenMP: two tasks, one of which depends on the other.
#include <assert.h>

int main(void)
{
    int first = 0, second = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : first) shared(first)
        first = 1;
#pragma omp task depend(in : first) shared(first, second)
        second = first + 1;
#pragma omp taskwait
    }
    assert(second == 2);
    return 0;
}
