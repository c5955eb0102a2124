#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned codes[256], result;
static unsigned char text[1 << 16];
static void meet(void) { pthread_mutex_lock(&mutex); result++; pthread_mutex_unlock(&mutex); }
static int compare(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
static void crc(long rounds)
{
    unsigned sum = 1;
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)(i * 31);
    for (unsigned i = 0; i < 256; i++)
        codes[i] = i * 0x01010101u;
    for (long i = 0; i < rounds; i++)
        sum = codes[(sum ^ text[i % (long)sizeof text]) & 255] ^ sum >> 8;
    result = sum;
}
static void sort(long rounds)
{
    long count = rounds / 20 + 1;
    int *values = malloc((size_t)count * sizeof *values);
    unsigned next = 1;
    for (long i = 0; i < count; i++)
        values[i] = (int)((next = next * 1664525 + 1013904223) >> 8);
    qsort(values, (size_t)count, sizeof *values, compare);
    free(values);
}
struct entry { unsigned key, count; struct entry *next; };
static void hash(long rounds)
{
    static struct entry *bucket[4096];
    unsigned next = 1;
    for (long i = 0; i < rounds; i++) {
        unsigned key = (next = next * 1664525 + 1013904223) >> 18;
        struct entry *entry = bucket[key % 4096];
        while (entry && entry->key != key)
            entry = entry->next;
        if (entry == NULL) {
            entry = malloc(sizeof *entry);
            *entry = (struct entry){key, 0, bucket[key % 4096]};
            bucket[key % 4096] = entry;
        }
        entry->count++;
    }
}
static void list(long rounds)
{
    struct node { struct node *next; long value; } *nodes = malloc(1000 * sizeof *nodes), *at = nodes;
    long sum = 0;
    for (int i = 0; i < 1000; i++)
        nodes[i] = (struct node){&nodes[(i + 7) % 1000], i};
    for (long i = 0; i < rounds; i++, at = at->next)
        sum += at->value;
    result = (unsigned)sum;
    free(nodes);
}
static void matrix(long rounds)
{
    static double a[64][64], b[64][64], c[64][64];
    for (long done = 0; done < rounds; done += 64L * 64 * 64)
    {
        for (int i = 0; i < 64; i++)
            for (int j = 0; j < 64; j++) {
                double sum = 0;
                for (int k = 0; k < 64; k++)
                    sum += a[i][k] * b[k][j];
                c[i][j] = sum + 1;
            }
        a[done % 64][3] = c[5][done % 64];
    }
    result = (unsigned)c[3][5];
}
static void arithmetic(long rounds)
{
    unsigned sum = 1;
    for (long i = 0; i < rounds; i++)
        sum = sum * 2654435761u + (unsigned)i;
    result = sum;
}
static char **arguments;
static void *compute(void *unused)
{
    static const struct { const char *name; void (*run)(long); } kernels[] = {
        {"crc", crc}, {"sort", sort}, {"hash", hash}, {"list", list}, {"matrix", matrix}, {"arithmetic", arithmetic}};
    struct rusage before, after;
    meet();
    getrusage(RUSAGE_SELF, &before);
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, arguments[1]) == 0)
            kernels[i].run(atol(arguments[2]));
    getrusage(RUSAGE_SELF, &after);
    printf("used %ld us\n", (after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1000000 + after.ru_utime.tv_usec - before.ru_utime.tv_usec);
    meet();
    return unused;
}
static void *disturb(void *unused) { meet(); meet(); return unused; }
int main(int argc, char **argv)
{
    pthread_t one, other;
    arguments = argv;
    pthread_create(&other, NULL, disturb, NULL);
    pthread_create(&one, NULL, compute, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return argc != 3;
}
