/* Tests of Criterion (libcriterion.so.3). Its own runner starts one process per test and talks to it through threads of a message
 * library in both, which are no part of the test. Under control the tests run without them: a single selected test in this
 * process, several in a forked copy each, one after the other. Fixtures and assertions run unchanged. */
#define _GNU_SOURCE
#include "process/family.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <dlfcn.h>
#include <fnmatch.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- as in its headers ---- */

struct extra_data {
    int sentinel;
    int compiler;
    int language;
    int kind; /* 0: normal */
    void *parameters;
    const char *identifier; /* "suite/test" */
    const char *file;
    unsigned line;
    void (*init)(void);
    void (*fini)(void);
    int signal;
    int exit_code;
    bool disabled;
    const char *description;
    double timeout;
    void *data;
};

struct criterion_test {
    const char *name;
    const char *category;
    void (*test)(void);
    struct extra_data *data;
};

struct criterion_suite {
    const char *name;
    struct extra_data *data;
};

struct node {
    struct node *next;
};

struct ordered_set {
    struct node *first;
    size_t size;
};

struct suite_set {
    struct criterion_suite suite;
    struct ordered_set *tests;
};

struct criterion_test_set {
    struct ordered_set *suites;
    size_t tests;
};

struct criterion_options {
    int logging_threshold;
    void *logger;
    bool no_early_exit, always_succeed, use_ascii, fail_fast;
    const char *pattern;
};

struct criterion_assert_stats {
    const char *message;
    bool passed;
    unsigned line;
    const char *file;
};

int criterion_run_all_tests(struct criterion_test_set *set);
void criterion_internal_test_setup(void);
void criterion_internal_test_main(void (*function)(void));
void criterion_internal_test_teardown(void);
void criterion_send_assert(struct criterion_assert_stats *stats);
void criterion_abort_test(void);
void criterion_skip_test(const char *format, ...);
void criterion_test_die(const char *format, ...);
void cr_theory_main(void *data, size_t count, void (*function)(void));

/* ---- the test that runs ---- */

static struct {
    const struct criterion_suite *suite;
    const struct criterion_test *test;
    pthread_t thread; /* that runs its function */
    jmp_buf left;
    bool inside; /* `left` may be jumped to */
    bool failed;
} now;

__attribute__((format(printf, 2, 3))) static void say_that(const char *kind, const char *format, ...)
{
    char text[2048];
    va_list values;
    va_start(values, format);
    int length = snprintf(text, sizeof text, "%s: %s: ", now.test ? now.test->data->identifier : "criterion", kind);
    length += vsnprintf(text + length, sizeof text - (size_t)length, format, values);
    va_end(values);
    if (length > (int)sizeof text - 2)
        length = sizeof text - 2;
    text[length++] = '\n';
    sys_write(STDERR_FILENO, text, (unsigned long)length);
}

/* Out of the test's function. From elsewhere, a fixture or another thread, there is no way back into it. */
__attribute__((noreturn)) static void leave(void)
{
    if (now.inside && pthread_equal(now.thread, pthread_self()))
        longjmp(now.left, 1);
    exit(now.failed ? EXIT_FAILURE : EXIT_SUCCESS);
}

static void call(void (*function)(void))
{
    if (function)
        function();
}

static bool fails(const struct criterion_suite *suite, const struct criterion_test *test)
{
    now.suite = suite;
    now.test = test;
    now.failed = false;
    test->test(); /* comes back to setup, main and teardown below */
    return now.failed;
}

/* ---- which tests ---- */

static bool selected(const struct criterion_suite *suite, const struct criterion_test *test)
{
    const struct criterion_options *options = dlsym(RTLD_DEFAULT, "criterion_options");
    bool off = test->data->disabled || (suite->data && suite->data->disabled);
    return !off && (!options || !options->pattern || fnmatch(options->pattern, test->data->identifier, FNM_EXTMATCH) == 0);
}

#define FOR_EACH(type, element, set)                                                                                             \
    for (struct node *element##_node = (set)->first; element##_node; element##_node = element##_node->next)                      \
        for (type *element = (type *)(element##_node + 1); element; element = NULL)

static unsigned count_selected(const struct criterion_test_set *set)
{
    unsigned count = 0;
    FOR_EACH (struct suite_set, suite, set->suites)
        FOR_EACH (struct criterion_test, test, suite->tests)
            count += selected(&suite->suite, test);
    return count;
}

static void refuse(const char *what, const char *way_out)
{
    if (bpor_controlled())
        bpor_refuse(what, way_out);
    say_that("refused", "%s: %s", what, way_out);
    exit(EXIT_FAILURE);
}

/* What only its own runner can judge. */
static void require_plain(const struct criterion_test *test)
{
    char name[256];
    snprintf(name, sizeof name, "Criterion's %s", test->data->identifier);
    if (test->data->kind != 0)
        refuse(name, "a test with parameters cannot be run one at a time; write a test for each");
    if (test->data->signal || test->data->exit_code)
        refuse(name, "it expects to be killed or to fail, which is a bug here; leave it out with --filter");
}

static bool fails_in_copy(const struct criterion_suite *suite, const struct criterion_test *test)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        exit(fails(suite, test) ? EXIT_FAILURE : EXIT_SUCCESS);
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

/* True, as there: all is well. */
INTERCEPT int criterion_run_all_tests(struct criterion_test_set *set)
{
    if (!bpor_family_is_watched())
        return REAL(criterion_run_all_tests)(set);
    bool failed = false;
    unsigned count = count_selected(set);
    if (count == 0)
        refuse("criterion_run_all_tests", "no test matches, so nothing would be tested; see --filter");
    FOR_EACH (struct suite_set, suite, set->suites)
        FOR_EACH (struct criterion_test, test, suite->tests) {
            if (!selected(&suite->suite, test))
                continue;
            require_plain(test);
            failed |= count == 1 ? fails(&suite->suite, test) : fails_in_copy(&suite->suite, test);
        }
    return !failed;
}

/* ---- what a test calls ---- */

INTERCEPT void criterion_internal_test_setup(void)
{
    if (!bpor_family_is_watched()) {
        REAL(criterion_internal_test_setup)();
        return;
    }
    if (now.suite->data)
        call(now.suite->data->init);
    call(now.test->data->init);
}

INTERCEPT void criterion_internal_test_main(void (*function)(void))
{
    if (!bpor_family_is_watched()) {
        REAL(criterion_internal_test_main)(function);
        return;
    }
    now.thread = pthread_self();
    now.inside = true;
    if (setjmp(now.left) == 0)
        function();
    now.inside = false;
}

INTERCEPT void criterion_internal_test_teardown(void)
{
    if (!bpor_family_is_watched()) {
        REAL(criterion_internal_test_teardown)();
        return;
    }
    call(now.test->data->fini);
    if (now.suite->data)
        call(now.suite->data->fini);
}

INTERCEPT void criterion_send_assert(struct criterion_assert_stats *stats)
{
    if (!bpor_family_is_watched()) {
        REAL(criterion_send_assert)(stats);
        return;
    }
    if (stats->passed)
        return;
    now.failed = true;
    say_that("failed", "%s:%u: %s", stats->file, stats->line, stats->message);
}

INTERCEPT void criterion_abort_test(void)
{
    if (!bpor_family_is_watched())
        REAL(criterion_abort_test)();
    leave();
}

typedef void leave_with_words(const char *format, ...);

static void say_and_leave(const char *kind, leave_with_words *really, const char *format, va_list values)
{
    char text[2048];
    vsnprintf(text, sizeof text, format ? format : "", values);
    if (!bpor_family_is_watched())
        really("%s", text);
    say_that(kind, "%s", text);
    leave();
}

INTERCEPT void criterion_skip_test(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say_and_leave("skipped", REAL(criterion_skip_test), format, values);
}

INTERCEPT void criterion_test_die(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    now.failed = true;
    say_and_leave("died", REAL(criterion_test_die), format, values);
}

INTERCEPT void cr_theory_main(void *data, size_t count, void (*function)(void))
{
    if (bpor_family_is_watched())
        refuse("a theory of Criterion", "a test for all values at once is not known here; write a test for each");
    REAL(cr_theory_main)(data, count, function);
}
