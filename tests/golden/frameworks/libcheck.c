#include <check.h>
#include <pthread.h>
#include <stdlib.h>

static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int get(void)
{
    pthread_mutex_lock(&lock);
    int seen = total;
    pthread_mutex_unlock(&lock);
    return seen;
}

static void *add(void *unused)
{
    int next = get() + 1;
    pthread_mutex_lock(&lock);
    total = next;
    pthread_mutex_unlock(&lock);
    return unused;
}

START_TEST(both_count)
{
    pthread_t one, two;
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&two, NULL, add, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    ck_assert_int_eq(total, 2);
}
END_TEST

START_TEST(equal)
{
    ck_assert_int_eq(total + 3, 2);
}
END_TEST

START_TEST(true)
{
    ck_assert(total > 1);
}
END_TEST

START_TEST(message)
{
    ck_assert_msg(total > 1, "only %d", total);
}
END_TEST

START_TEST(crash)
{
    abort();
}
END_TEST

int main(int count, char **names)
{
    Suite *suite = suite_create("Counter");
    TCase *tests = tcase_create("adding");
    if (count > 1) {
        const TTest *all[] = {both_count, equal, true, message, crash};
        tcase_add_test(tests, all[atoi(names[1])]);
    } else {
        tcase_add_test(tests, both_count);
    }
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
