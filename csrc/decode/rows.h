/* A growing array of rows of one size. When memory runs out, `failed` is set and nothing more is added. */
#ifndef BPOR_ROWS_H
#define BPOR_ROWS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct rows {
    uint8_t *data;
    size_t size; /* bytes of one */
    size_t count;
    size_t room;
    bool failed;
};

static inline bool rows_have_room(struct rows *rows, size_t more)
{
    if (rows->count + more <= rows->room)
        return true;
    size_t room = 2 * (rows->count + more) + 64;
    uint8_t *data = rows->failed ? NULL : realloc(rows->data, room * rows->size);
    if (data == NULL) {
        rows->failed = true;
        return false;
    }
    rows->data = data;
    rows->room = room;
    return true;
}

static inline void rows_add(struct rows *rows, const void *row, size_t count)
{
    if (count == 0 || !rows_have_room(rows, count))
        return;
    memcpy(rows->data + rows->count * rows->size, row, count * rows->size);
    rows->count += count;
}

static inline void rows_add_zeros(struct rows *rows, size_t count)
{
    if (count == 0 || !rows_have_room(rows, count))
        return;
    memset(rows->data + rows->count * rows->size, 0, count * rows->size);
    rows->count += count;
}

static inline void rows_free(struct rows *rows)
{
    free(rows->data);
}
#endif
