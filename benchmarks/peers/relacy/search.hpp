// Runs `Test` under every schedule. Relacy has no reduction, so this ends on the smallest programs only.
int main()
{
    rl::test_params params;
    params.search_type = rl::sched_full;
    params.iteration_count = static_cast<rl::iteration_t>(-1);
    bool passed = rl::simulate<Test>(params);
    return passed ? 0 : 1;
}
