/* Runs one text per thread on shared memory of every kind, by plain accesses; the first text is main's own. Prints what each
 * thread read, then what is left. rP  read place P     wP  write it     uP  add 1 to it, which reads and writes     cPQ  copy 16
 * bytes from P to Q by memcpy L, U  take and leave a mutex Places: 0 and 1 static, 2 on the heap, 3 on main's stack, 4 in main's
 * thread-local memory. Reads and writes of plain builds only: gP  by a function that has no room for a jump, lP  by lods, mP  by
 * movs; sP  by stos, pP  by pop. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4, PLACES = 5, MOST_READS = 16, MOST_THREADS = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int first[WORDS], second[WORDS];
static __thread int own[WORDS];
static volatile int *place[PLACES];
static volatile size_t bytes = WORDS * sizeof(int);

static struct work {
    const char *text;
    int number;
    int reads;
    int read[MOST_READS];
} works[MOST_THREADS];

static volatile int *at(char letter)
{
    return place[letter - '0'];
}

#if defined __x86_64__
int get(const volatile int *place);
__asm__(".text\n.type get,@function\nget:\n.cfi_startproc\n mov (%rdi), %eax\n ret\n.cfi_endproc\n.size get, . - get\n");

static int by_lods(const volatile int *place)
{
    int value;
    __asm__ volatile("lodsl" : "=a"(value), "+S"(place) : : "memory");
    return value;
}

static int by_movs(const volatile int *place)
{
    int value, *to = &value;
    long count = 1;
    __asm__ volatile("rep movsl" : "+S"(place), "+D"(to), "+c"(count) : : "memory");
    return value;
}

static void by_stos(volatile int *place, int value)
{
    __asm__ volatile("stosl" : "+D"(place) : "a"(value) : "memory");
}

/* Two words, the second of which nobody looks at. */
static void by_pop(volatile int *place, int value)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n push %1\n popq (%0)\n lea 128(%%rsp), %%rsp"
                     :
                     : "r"(place), "r"((long)value)
                     : "memory");
}
#endif

static void *run(void *argument)
{
    struct work *work = argument;
    int writes = 0;
    for (const char *op = work->text; *op; op++)
        switch (*op) {
        case 'r':
            work->read[work->reads++] = *at(*++op);
            break;
        case 'w':
            *at(*++op) = 100 * work->number + ++writes;
            break;
        case 'u':
            *at(*++op) += 1;
            break;
        case 'c':
            memcpy((void *)at(op[2]), (const void *)at(op[1]), bytes);
            op += 2;
            break;
        case 'g':
            work->read[work->reads++] = get(at(*++op));
            break;
        case 'l':
            work->read[work->reads++] = by_lods(at(*++op));
            break;
        case 'm':
            work->read[work->reads++] = by_movs(at(*++op));
            break;
        case 's':
            by_stos(at(*++op), 100 * work->number + ++writes);
            break;
        case 'p':
            by_pop(at(*++op), 100 * work->number + ++writes);
            break;
        case 'L':
            pthread_mutex_lock(&mutex);
            break;
        case 'U':
            pthread_mutex_unlock(&mutex);
            break;
        }
    return NULL;
}

int main(int count, char **texts)
{
    int local[WORDS] = {0};
    pthread_t thread[MOST_THREADS];
    place[0] = first;
    place[1] = second;
    place[2] = calloc(WORDS, sizeof(int));
    place[3] = local;
    place[4] = own;
    for (int i = 0; i + 1 < count; i++)
        works[i] = (struct work){.text = texts[i + 1], .number = i + 1};
    for (int i = 1; i + 1 < count; i++)
        pthread_create(&thread[i], NULL, run, &works[i]);
    run(&works[0]);
    for (int i = 1; i + 1 < count; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i + 1 < count; i++)
        for (int read = 0; read < works[i].reads; read++)
            printf("%d ", works[i].read[read]);
    for (int i = 0; i < PLACES; i++)
        printf("%d ", *place[i]);
    return 0;
}
