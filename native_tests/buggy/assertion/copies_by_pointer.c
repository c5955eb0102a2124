// Two threads add to a number by copying it to and fro. One has memcpy out of a table that the loader fills, the other by its name.
// expect: assertion
// bound preemption:0: pass
// bound preemption:1: assertion
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

typedef void *copy(void *to, const void *from, size_t bytes);

static struct {
    const char *name;
    copy *copy;
} volatile table = {"memcpy", memcpy};

static int number;

static void add(copy *copies)
{
    int before;
    copies(&before, &number, sizeof number);
    before++;
    copies(&number, &before, sizeof number);
}

static void *by_table(void *unused)
{
    add(table.copy);
    return unused;
}

static void *by_name(void *unused)
{
    add((copy *)dlsym(RTLD_DEFAULT, table.name));
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, by_table, NULL);
    pthread_create(&other, NULL, by_name, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    assert(number == 2);
}
