/* Steps that go several ways: an input that the test leaves open, a call that may fail; and the assumption without which an
 * execution says nothing. None of them touches anything, so each commutes with every step of another thread. */
#include "model/rules.h"
#include "runtime/injection.h"

void choose_perform(struct thread *thread)
{
    thread->op.offered = (uint8_t)thread->op.argument;
    thread->op.value += bpor->alternative; /* to what the digits before say */
    thread->result = (int)bpor->alternative;
    bpor->shared->offers |= BPOR_OFFERS_INPUT;
}

/* The thread never goes on. Other threads may: an error that they make after this point can also be made before this thread gets
 * here. */
bool assume_enabled(const struct thread *thread)
{
    (void)thread;
    return false;
}

/* The number of failures so far does not depend on the order of the steps, and not failing costs nothing. So refusing failures
 * beyond the limit loses no execution within it. */
void fault_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    unsigned kind = (unsigned)op->argument;
    bool may = bpor->injected[kind] < bpor->shared->config.faults[kind];
    bpor->shared->faults_met |= 1u << kind;
    bpor->shared->offers |= BPOR_OFFERS_FAULT;
    if (!may)
        bpor->shared->faults_refused |= 1u << kind;
    op->offered = may ? 2 : 1;
    if (!may || bpor->alternative != 1)
        return;
    bpor->injected[kind]++;
    thread->result = 1;
    if (kind == BPOR_FAULT_EINTR)
        op->flags |= BPOR_FLAG_CUT; /* it has waited: leaving the thread is free */
}
