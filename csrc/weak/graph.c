/* What the models forbid beyond what clocks tell: a relation between the events of an execution that must have no cycle. The
 * newest event leads to no other, so an access that takes the newest store contradicts nothing. bpor/simulate/weak/axiom.py says
 * the same in Python, and where the relations come from. Sets of events are masks. */
#include "runtime/reserve.h"
#include "weak/weak.h"
#include <string.h>

enum { WORDS = WEAK_EVENTS / 64 };
typedef uint64_t relation[WEAK_EVENTS][WORDS];

static struct {
    uint32_t count;
    bool full;
    struct weak_event event[WEAK_EVENTS];
    relation hb, sb, rf, mo, rb, same, scb, eco, order, scratch;
} * graph;
static uint32_t *clocks; /* two of each event */

void weak_graph_reserve(void)
{
    graph = bpor_reserve_kept(sizeof *graph);
    clocks = weak_clocks_reserve(2 * WEAK_EVENTS);
}

static void set_clocks(uint32_t index, uint32_t width)
{
    struct weak_event *event = &graph->event[index];
    event->seen = clocks + (size_t)2 * index * width;
    event->causes = event->seen + width;
}

void weak_graph_widen(void)
{
    weak_clocks_widen(clocks, (size_t)2 * graph->count);
    for (uint32_t i = 0; i < graph->count; i++)
        set_clocks(i, 2 * weak_width);
}

void weak_graph_begin(void)
{
    graph->count = 0;
    graph->full = false;
}

void weak_graph_new_thread(unsigned thread)
{
    for (uint32_t i = 0; i < graph->count; i++)
        graph->event[i].seen[thread] = graph->event[i].causes[thread] = 0;
}

bool weak_graph_is_full(void)
{
    return graph->full;
}

/* The place behind the last event is for the one that is asked about. */
struct weak_event *weak_event_of(const struct thread *thread, const struct location *location, int order)
{
    struct weak_event *event = &graph->event[graph->count];
    set_clocks(graph->count, weak_width);
    event->thread = thread->id;
    event->order = (uint8_t)order;
    event->stores = event->full = event->operation = false;
    event->epoch = bpor_weak_epoch(thread);
    event->local = thread->steps + 1;
    event->place = location ? location->number : 0;
    event->rank = event->source = 0;
    weak_copy(event->seen, bpor_race_seen(thread)->at);
    weak_clear(event->causes);
    return event;
}

void weak_graph_add(void)
{
    if (graph->count + 1 < WEAK_EVENTS)
        graph->count++;
    else
        graph->full = true;
}

static inline void put(uint64_t *mask, unsigned member)
{
    mask[member / 64] |= 1ull << member % 64;
}

static inline bool has(const uint64_t *mask, unsigned member)
{
    return mask[member / 64] >> member % 64 & 1;
}

static void add_all(uint64_t *into, const uint64_t *mask)
{
    for (unsigned word = 0; word < WORDS; word++)
        into[word] |= mask[word];
}

/* into = all that members of `mask` are related to */
static void image(uint64_t *into, const uint64_t *mask, relation by, unsigned count)
{
    uint64_t found[WORDS] = {0};
    for (unsigned member = 0; member < count; member++)
        if (has(mask, member))
            add_all(found, by[member]);
    memcpy(into, found, sizeof found);
}

static void close_transitively(relation by, unsigned count)
{
    for (unsigned middle = 0; middle < count; middle++)
        for (unsigned a = 0; a < count; a++)
            if (has(by[a], middle))
                add_all(by[a], by[middle]);
}

static bool acyclic(relation by, unsigned count)
{
    close_transitively(by, count);
    for (unsigned a = 0; a < count; a++)
        if (has(by[a], a))
            return false;
    return true;
}

static bool happens_before(const struct weak_event *a, const struct weak_event *b)
{
    return b->seen[a->thread] >= a->epoch;
}

static void clear(relation by, unsigned count)
{
    memset(by, 0, count * sizeof by[0]);
}

/* Who read from whom, the order of stores at one place, and from a load to the stores after the one it read. */
static void communicate(unsigned count)
{
    clear(graph->rf, count);
    clear(graph->mo, count);
    clear(graph->rb, count);
    for (unsigned a = 0; a < count; a++)
        for (unsigned b = 0; b < count; b++) {
            const struct weak_event *one = &graph->event[a], *other = &graph->event[b];
            if (a == b || !one->place || one->place != other->place)
                continue;
            if (one->stores && other->source == one->rank)
                put(graph->rf[a], b);
            if (one->stores && other->stores && one->rank < other->rank)
                put(graph->mo[a], b);
            if (one->source && other->stores && one->source < other->rank)
                put(graph->rb[a], b);
        }
}

/* ---- C11: seq_cst ---- */

static bool is_sc(const struct weak_event *event)
{
    return event->order == __ATOMIC_SEQ_CST && !event->operation;
}

static void order_c11(unsigned count)
{
    clear(graph->hb, count);
    clear(graph->sb, count);
    clear(graph->same, count);
    for (unsigned a = 0; a < count; a++)
        for (unsigned b = 0; b < count; b++) {
            const struct weak_event *one = &graph->event[a], *other = &graph->event[b];
            bool own = one->thread == other->thread;
            if (own ? a < b : happens_before(one, other))
                put(graph->hb[a], b);
            if (own && a < b)
                put(graph->sb[a], b);
            if (a != b && one->place && one->place == other->place)
                put(graph->same[a], b);
        }
}

/* scb = sb + sb;hb;sb + hb|loc + mo + rb, eco = (rf + mo + rb)+ */
static void combine_c11(unsigned count)
{
    for (unsigned a = 0; a < count; a++)
        image(graph->scratch[a], graph->sb[a], graph->hb, count);
    for (unsigned a = 0; a < count; a++) {
        image(graph->scb[a], graph->scratch[a], graph->sb, count);
        for (unsigned word = 0; word < WORDS; word++) {
            graph->scb[a][word] |= graph->sb[a][word] | graph->mo[a][word] | graph->rb[a][word];
            graph->scb[a][word] |= graph->hb[a][word] & graph->same[a][word];
            graph->eco[a][word] = graph->rf[a][word] | graph->mo[a][word] | graph->rb[a][word];
        }
    }
    close_transitively(graph->eco, count);
}

static void psc_of(unsigned a, unsigned count, const uint64_t *sc, const uint64_t *fences)
{
    uint64_t from[WORDS] = {0}, middle[WORDS], more[WORDS], beyond[WORDS];
    bool fence = has(fences, a);
    put(from, a);
    if (fence)
        add_all(from, graph->hb[a]);
    image(middle, from, graph->scb, count);
    image(more, middle, graph->hb, count);
    image(beyond, graph->hb[a], graph->eco, count);
    image(beyond, beyond, graph->hb, count);
    for (unsigned word = 0; word < WORDS; word++) {
        graph->order[a][word] = (middle[word] | (more[word] & fences[word])) & sc[word];
        if (fence)
            graph->order[a][word] |= (graph->hb[a][word] | beyond[word]) & fences[word];
    }
}

bool weak_graph_allows_c11(void)
{
    unsigned count = graph->count + 1, members = 0;
    uint64_t sc[WORDS] = {0}, fences[WORDS] = {0};
    for (unsigned a = 0; a < count; a++)
        if (is_sc(&graph->event[a])) {
            put(sc, a);
            members++;
            if (!graph->event[a].place)
                put(fences, a);
        }
    if (members < 2)
        return true;
    order_c11(count);
    communicate(count);
    combine_c11(count);
    clear(graph->order, count);
    for (unsigned a = 0; a < count; a++)
        if (has(sc, a))
            psc_of(a, count, sc, fences);
    return acyclic(graph->order, count);
}

/* ---- TSO: the order in which memory sees them ---- */

bool weak_graph_allows_tso(void)
{
    unsigned count = graph->count + 1;
    communicate(count);
    for (unsigned a = 0; a < count; a++) {
        const struct weak_event *early = &graph->event[a];
        bool fenced = false;
        for (unsigned word = 0; word < WORDS; word++)
            graph->order[a][word] = graph->mo[a][word] | graph->rb[a][word];
        for (unsigned b = a + 1; b < count; b++) {
            const struct weak_event *late = &graph->event[b];
            if (late->thread == early->thread) {
                bool passes = early->stores && !early->full && late->source && !late->full && !fenced;
                fenced |= late->full;
                if (!passes)
                    put(graph->order[a], b);
            } else if (has(graph->rf[a], b) ||
                       (early->operation && late->operation && late->causes[early->thread] >= early->local)) {
                put(graph->order[a], b);
            }
        }
    }
    return acyclic(graph->order, count);
}
