// An OpenMP loop whose threads add to one variable without a reduction.
// machine: x86_64
// options: --machine-code=auto
// flags: -fopenmp
// bound fair:1,preemption:1: exit
int main(void)
{
    int sum = 0;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 2; i++)
        sum += i + 1;
    return sum == 3 ? 0 : 1;
}
