// A thread changes the locale, which decides what the calls of others do: refused by name.
// says: setlocale
// expect: uncontrolled
#include <locale.h>
#include <pthread.h>
#include <stdio.h>

static void *change(void *unused)
{
    setlocale(LC_ALL, "C.UTF-8");
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    printf("%lc\n", 0xe4u);
    pthread_join(thread, NULL);
    return 0;
}
