// Main unwinds its whole stack where it finds a mistake, and ends the process behind the last frame: Ada does so for an exception that
// nobody handles. That is no end of a thread.
// expect: exit
// bound preemption:0: pass
// bound preemption:1: exit
#include <pthread.h>
#include <stdlib.h>
#include <unwind.h>

static volatile int number;

static _Unwind_Reason_Code stop(int version, _Unwind_Action action, _Unwind_Exception_Class kind,
                                struct _Unwind_Exception *exception, struct _Unwind_Context *context, void *unused)
{
    (void)version, (void)kind, (void)exception, (void)context, (void)unused;
    if (action & _UA_END_OF_STACK)
        exit(1);
    return _URC_NO_REASON;
}

static void *add(void *unused)
{
    int before = number;
    number = before + 1;
    return unused;
}

int main(void)
{
    static struct _Unwind_Exception exception;
    pthread_t one, other;
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&other, NULL, add, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    if (number != 2)
        _Unwind_ForcedUnwind(&exception, stop, NULL);
}
