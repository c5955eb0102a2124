// A critical section of OpenMP, an atomic update, and a barrier behind them.
// machine: x86_64
// options: --machine-code=auto
// flags: -fopenmp
// bound fair:1,preemption:1: pass, slow
int main(void)
{
    int sum = 0, product = 1, wrong = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        sum += 1;
#pragma omp atomic
        product *= 2;
#pragma omp barrier
        if (sum != 2 || product != 4)
#pragma omp atomic write
            wrong = 1;
    }
    return wrong;
}
