/* Share: several processes search the states of one program, each those that are its own.
 *
 * Whose a state is its identity tells, or, as long as it has none, the hash of the steps that led to it. So each process knows of
 * every state of its own whether it is covered, and no two look at the same one (Stern and Dill, "Parallelizing the Murphi
 * Verifier", CAV 1997). States of others are sent to them by the controller, between two batches. A state with several identities
 * (garbage in its memory) may belong to several; so everybody is told the hashes of what is covered. What a process has covered
 * when the others come is sent to all of them.
 *
 * A record: whose it is, how many words it takes, how long its way is and whether it was looked at; then what is covered, an
 * identity or a hash; or the hash, the threads that are enabled, the identity and the choices of the way, four in a word. */
#include "engine/tree.h"

enum { STATE_WORDS = 5, CHOICES_IN_A_WORD = 4 };

static uint64_t header(uint32_t owner, uint32_t words, uint32_t length, bool looked)
{
    return (uint64_t)owner << 48 | (uint64_t)words << 24 | length << 1 | looked;
}

static uint32_t words_of(uint64_t head)
{
    return head >> 24 & 0xffffff;
}

static uint32_t length_of(uint64_t head)
{
    return (uint32_t)(head & 0xffffff) >> 1;
}

static uint32_t words_for(uint32_t length)
{
    return STATE_WORDS + (length + CHOICES_IN_A_WORD - 1) / CHOICES_IN_A_WORD;
}

static uint32_t owner_of(const struct cartesian *cartesian, struct identity state)
{
    return (uint32_t)((bpor_mix(state.low, state.high) >> 32) % cartesian->workers);
}

static void put(struct cartesian *cartesian, uint64_t word)
{
    cartesian->sent_word[cartesian->sent++] = word;
    cartesian->sent_check = bpor_mix(cartesian->sent_check, word);
}

static bool has_room(const struct cartesian *cartesian, uint32_t words)
{
    return cartesian->sent + words <= BPOR_HANDED_WORDS;
}

void share_covered(struct cartesian *cartesian, struct identity state)
{
    if (cartesian->workers < 2 || !has_room(cartesian, BPOR_COVERED_WORDS))
        return; /* it is looked at a second time, at worst */
    put(cartesian, header(BPOR_ALL_OTHERS, BPOR_COVERED_WORDS, 0, false));
    put(cartesian, state.low);
    put(cartesian, state.high);
}

static void share_among(struct cartesian *cartesian, uint32_t worker, uint32_t workers)
{
    bool alone = cartesian->workers < 2;
    cartesian->worker = worker;
    cartesian->workers = workers;
    for (uint32_t number = 1; alone && workers > 1 && number <= cartesian->covered; number++)
        share_covered(cartesian, cartesian->state[number]);
}

/* ---- what the others sent ---- */

static void take_state(struct tree *tree, const uint64_t *word)
{
    struct cartesian_waiting state = {
        .hash = word[1], .enabled = word[2], .identity = {word[3], word[4]}, .length = length_of(word[0]), .looked = word[0] & 1};
    uint16_t *choice = waiting_room(tree, state.length);
    if (!choice)
        return;
    for (uint32_t i = 0; i < state.length; i++)
        choice[i] = (uint16_t)(word[STATE_WORDS + i / CHOICES_IN_A_WORD] >> 16 * (i % CHOICES_IN_A_WORD));
    waiting_add(tree, &state);
}

static void take(struct tree *tree, const uint64_t *word, uint64_t count)
{
    for (const uint64_t *end = word + count; word < end && !tree->full; word += words_of(word[0])) {
        bool covered = words_of(word[0]) == BPOR_COVERED_WORDS;
        if (words_of(word[0]) > (uint64_t)(end - word) || (!covered && words_of(word[0]) != words_for(length_of(word[0])))) {
            tree_fail(tree, "a state that was handed over is none");
            return;
        }
        if (covered)
            covered_add(tree, (struct identity){word[1], word[2]});
        else
            take_state(tree, word);
    }
}

void share_begin(struct tree *tree, struct bpor_tree_facts *facts, struct bpor_order *order)
{
    uint64_t handed = order->handed < BPOR_HANDED_WORDS ? order->handed : BPOR_HANDED_WORDS;
    if (order->taken)
        tree->cartesian.sent_check = tree->cartesian.sent = 0;
    share_among(&tree->cartesian, order->worker, order->workers);
    if (handed)
        facts->finished = false;
    take(tree, facts->handed, handed);
    order->handed = order->taken = 0; /* done: a process that goes on with this order must not do it again */
}

/* ---- what is sent to them ---- */

bool share_send(struct tree *tree, const struct cartesian_waiting *state)
{
    struct cartesian *cartesian = &tree->cartesian;
    uint32_t words = words_for(cartesian->depth);
    if (cartesian->workers < 2)
        return false;
    uint32_t owner = owner_of(cartesian, identity_is_known(state->identity) ? state->identity : identity_of_hash(state->hash));
    if (owner == cartesian->worker)
        return false;
    if (covered_has(tree, state->identity))
        return true; /* it was sent */
    if (!has_room(cartesian, words))
        return false;
    put(cartesian, header(owner, words, cartesian->depth, state->looked));
    put(cartesian, state->hash);
    put(cartesian, state->enabled);
    put(cartesian, state->identity.low);
    put(cartesian, state->identity.high);
    for (uint32_t i = 0; i < cartesian->depth; i += CHOICES_IN_A_WORD) {
        uint64_t word = 0;
        for (uint32_t k = 0; k < CHOICES_IN_A_WORD && i + k < cartesian->depth; k++)
            word |= (uint64_t)cartesian->path[i + k] << 16 * k;
        put(cartesian, word);
    }
    covered_add(tree, state->identity); /* for us. Not so the hash: its owner may find that the state is ours */
    return true;
}

/* What was written over is not told, and the search is not over. All is told again until the controller says that it has it: not
 * every answer is its to hear, where another process goes on with the same order. */
void share_tell(struct tree *tree, struct bpor_tree_facts *facts)
{
    struct cartesian *cartesian = &tree->cartesian;
    uint64_t check = 0;
    facts->given = 0;
    for (uint32_t i = 0; i < cartesian->sent; i++)
        check = bpor_mix(check, facts->handed[i] = cartesian->sent_word[i]);
    if (check != cartesian->sent_check) {
        tree_fail(tree, "a state for another process was written over");
        facts->finished = false;
        return;
    }
    facts->given = cartesian->sent;
}
