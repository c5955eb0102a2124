/* Two bit-fields in one byte: whoever sets one of them writes the other. */
#include <pthread.h>
#include <stdlib.h>

struct device {
    int number;
    unsigned ready : 1;
    unsigned closed : 1;
    unsigned failures : 8;
    unsigned wide : 20;
};

static struct device spare;

static void *open_it(void *argument)
{
    struct device *device = argument;
    device->ready = 1;
    return NULL;
}

static void *close_it(void *argument)
{
    struct device *device = argument;
    device->closed = 1;
    return NULL;
}

int main(int count, char **words)
{
    (void)words;
    struct device *made = count > 1 ? &spare : calloc(1, sizeof *made);
    pthread_t opens, closes;
    pthread_create(&opens, NULL, open_it, made);
    pthread_create(&closes, NULL, close_it, made);
    pthread_join(opens, NULL);
    pthread_join(closes, NULL);
    return made->ready && made->closed ? 0 : 1;
}
