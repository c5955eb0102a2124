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
    uint32_t sc; /* how many of them are seq_cst */
    bool full;
    struct weak_event event[WEAK_EVENTS];
    relation hb, rf, mo, rb, scb, eco, order;
} * graph;
static uint32_t *clocks; /* three of each event */

void weak_graph_reserve(void)
{
    graph = bpor_reserve_kept(sizeof *graph);
    clocks = weak_clocks_reserve(3 * WEAK_EVENTS);
}

static void set_clocks(uint32_t index, uint32_t width)
{
    struct weak_event *event = &graph->event[index];
    event->seen = clocks + (size_t)3 * index * width;
    event->before = event->seen + width;
    event->causes = event->before + width;
}

void weak_graph_widen(void)
{
    weak_clocks_widen(clocks, (size_t)3 * graph->count);
    for (uint32_t i = 0; i < graph->count; i++)
        set_clocks(i, 2 * weak_width);
}

void weak_graph_begin(void)
{
    graph->count = graph->sc = 0;
    graph->full = false;
}

void weak_graph_new_thread(unsigned thread)
{
    for (uint32_t i = 0; i < graph->count; i++)
        graph->event[i].seen[thread] = graph->event[i].before[thread] = graph->event[i].causes[thread] = 0;
}

bool weak_graph_is_full(void)
{
    return graph->full;
}

static bool is_sc(const struct weak_event *event)
{
    return event->order == __ATOMIC_SEQ_CST && !event->operation;
}

/* The place behind the last event is for the one that is asked about. */
void weak_event_comes(const struct thread *thread)
{
    set_clocks(graph->count, weak_width);
    weak_copy(graph->event[graph->count].before, bpor_race_seen(thread)->at);
}

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
    return event;
}

void weak_graph_add(void)
{
    if (graph->count + 1 < WEAK_EVENTS)
        graph->sc += is_sc(&graph->event[graph->count++]);
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

/* sb + sb;hb;sb between accesses: a later step of its thread has been seen when the other's thread comes to the other. These
 * steps need not be events: what orders them may be a lock, the creation of a thread or its end. */
static bool comes_early(const struct weak_event *one, const struct weak_event *other)
{
    bool releases = one->stores && order_releases(one->order);
    return is_sc(other) && other->place && other->before[one->thread] >= one->epoch + releases;
}

/* scb = sb + sb;hb;sb + hb|loc + mo + rb, eco = (rf + mo + rb)+ */
static void order_c11(unsigned count)
{
    clear(graph->hb, count);
    clear(graph->scb, count);
    for (unsigned a = 0; a < count; a++)
        for (unsigned b = 0; b < count; b++) {
            const struct weak_event *one = &graph->event[a], *other = &graph->event[b];
            bool own = one->thread == other->thread, before = own ? a < b : happens_before(one, other);
            bool same = a != b && one->place && one->place == other->place;
            if (before)
                put(graph->hb[a], b);
            if (own ? before : comes_early(one, other) || (before && same))
                put(graph->scb[a], b);
        }
    for (unsigned a = 0; a < count; a++)
        for (unsigned word = 0; word < WORDS; word++) {
            uint64_t apart = graph->mo[a][word] | graph->rb[a][word];
            graph->scb[a][word] |= apart;
            graph->eco[a][word] = graph->rf[a][word] | apart;
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

bool weak_graph_has_no_say(int order)
{
    return graph->sc + (order == __ATOMIC_SEQ_CST) < 2;
}

bool weak_graph_allows_c11(void)
{
    unsigned count = graph->count + 1;
    uint64_t sc[WORDS] = {0}, fences[WORDS] = {0};
    for (unsigned a = 0; a < count; a++)
        if (is_sc(&graph->event[a])) {
            put(sc, a);
            if (!graph->event[a].place)
                put(fences, a);
        }
    communicate(count);
    order_c11(count);
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
