// A text is formatted from memory that another thread changes: by position, as a wide text; or the number of its letters is written where
// another thread looks. The format has to be followed to see it.
// bound preemption:0: assertion
// with CASE=1, bound preemption:0: assertion
// with CASE=2, bound preemption:0: assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <wchar.h>

#ifndef CASE
#define CASE 0
#endif

static char text[] = "a";
static wchar_t wide[] = L"a";
static int count;

static void *changes(void *unused)
{
    char room[64];
    if (CASE == 0)
        text[0] = 'b';
    else if (CASE == 1)
        wide[0] = L'b';
    else
        snprintf(room, sizeof room, "%d%n", 12, &count);
    return unused;
}

static void *looks(void *unused)
{
    char room[64] = "";
    if (CASE == 0)
        snprintf(room, sizeof room, "%2$*3$d%1$s", text, 1, 2);
    else if (CASE == 1)
        snprintf(room, sizeof room, "%3d%ls", 1, wide);
    assert(CASE == 0 ? room[2] == 'a' : CASE == 1 ? room[3] == 'a' : count == 0);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, looks, NULL);
    pthread_create(&two, NULL, changes, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
