/* Answers: facts that only an execution can establish, namely whether a thread is enabled in some state and what its next step
 * does there. Every execution also answers questions that were not asked yet, because a step does the same in all states that
 * agree on what it depends on. */
#include "engine/optimal/optimal.h"
#include <string.h>

/* The hashes of the steps before an index that touched a cell, without those that cannot be made. */
static uint64_t sum_of_cell(const struct optimal *optimal, const struct tree *tree, uint32_t cell, bool written, uint32_t before,
                            const struct dropped *dropped)
{
    uint32_t at = written ? optimal->head[cell].any : optimal->head[cell].write, first = dropped ? dropped->first : before;
    uint64_t sum = 0;
    while (at && optimal->visit[at - 1].step >= first) {
        const struct visit *visit = &optimal->visit[at - 1];
        if (visit->step < before && is_kept(tree, visit->step, dropped))
            sum += tree->step[visit->step].hash;
        at = written ? visit->any : visit->write;
    }
    if (at)
        sum += (written ? optimal->visit[at - 1].any_sum : optimal->visit[at - 1].write_sum) +
               tree->step[optimal->visit[at - 1].step].hash;
    return sum;
}

static uint64_t sum_of_all(const struct tree *tree, uint32_t before, const struct dropped *dropped)
{
    uint32_t first = dropped ? dropped->first : before;
    uint64_t sum = first ? tree->step[first - 1].trace_hash : 0;
    for (uint32_t i = first; i < before; i++)
        if (is_kept(tree, i, dropped))
            sum += tree->step[i].hash;
    return sum;
}

/* What a thread can do is settled by its own past and by the steps made that its operation depends on: questions with equal keys
 * have equal answers. `dropped` NULL: the step as it was made. */
uint64_t question_key(struct optimal *optimal, const struct tree *tree, const struct second *second,
                      const struct dropped *dropped)
{
    uint64_t key = bpor_mix(second->thread, second->since ? tree->step[second->since - 1].hash : 0);
    const struct footprint *footprint = &optimal->footprint[second->announced];
    uint32_t before = second->index;
    if (second->ends)
        key = bpor_mix(bpor_mix(key, 1), sum_of_all(tree, before, dropped));
    for (uint32_t i = 0; !second->ends && i < footprint->count; i++) {
        uint32_t touch = optimal->footprint_touch[footprint->first + i];
        uint64_t sum = 0;
        EACH_NEAR (tree, touched_cell(touch), near)
            sum += sum_of_cell(optimal, tree, near, writes(touch), before, dropped);
        key = bpor_mix(key, sum);
    }
    if (before == tree->depth && before && tree->step[before - 1].ends && (!dropped || is_kept(tree, before - 1, dropped)))
        key = bpor_mix(key, tree->step[before - 1].hash);
    return key ? key : 1;
}

/* Into optimal->asked: all steps that can be made without those dropped, and behind them the thread. */
void question_schedule(struct optimal *optimal, const struct tree *tree, const struct second *second,
                       const struct dropped *dropped)
{
    struct numbering numbering;
    uint32_t count = 0;
    for (; count < dropped->first; count++)
        optimal->asked[count] = optimal->number[tree->step[count].thread];
    numbering_begin(optimal, tree, &numbering, dropped->first);
    for (uint32_t i = dropped->first + 1; i < tree->depth; i++)
        if (is_kept(tree, i, dropped))
            optimal->asked[count++] = (uint16_t)numbering_take(optimal, &numbering, tree->step[i].thread, tree->step[i].created);
    optimal->asked[count] = numbering.number[second->thread];
    optimal->question.count = count;
}

static struct answer *slot_of(struct optimal *optimal, uint64_t key)
{
    uint32_t slot = (uint32_t)(key >> 20) % ANSWER_SLOTS;
    while (optimal->answer[slot].key && optimal->answer[slot].key != key)
        slot = (slot + 1) % ANSWER_SLOTS;
    return &optimal->answer[slot];
}

static uint64_t check_of(const struct answer *answer)
{
    uint64_t flags = (uint64_t)answer->enabled | (uint64_t)answer->told << 1 | (uint64_t)answer->ends << 2;
    return bpor_mix(bpor_mix(answer->key, answer->footprint), flags);
}

struct answer *answer_find(struct optimal *optimal, uint64_t key)
{
    struct answer *answer = slot_of(optimal, key);
    return answer->key && answer->check == check_of(answer) ? answer : NULL;
}

void answer_enter(struct optimal *optimal, const struct answer *answer)
{
    if (optimal->answers >= ANSWER_SLOTS / 4 * 3) {
        memset(optimal->answer, 0, sizeof optimal->answer);
        optimal->answers = 0;
    }
    struct answer *known = slot_of(optimal, answer->key);
    optimal->answers += known->key == 0;
    if (known->key && known->check == check_of(known) && known->told)
        return;
    *known = *answer;
    known->check = check_of(answer);
}
