// An OpenMP loop with a reduction: libgomp's threads, locks and barriers are instructions and bare futex calls.
// machine: x86_64
// options: --machine-code=auto
// flags: -fopenmp
// bound fair:1,preemption:1: pass
int main(void)
{
    int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 2; i++)
        sum += i + 1;
    return sum == 3 ? 0 : 1;
}
