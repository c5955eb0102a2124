"""Tests of Python C extensions: a test function is run under every schedule that matters, from inside the test runner.

library         what the preload library offers to a Python process
start           the environment such a process needs, and how a runner gets into it
loading         everything that a search may need, before the first execution
exploring       the fork point, and exploration switched on and off
template        the forked process: runs the test body up to its fork point; then each execution from there to its end
plain_threads   threads that a test makes by itself
pools           pools of threads that a test makes
event_loops     event loops of asyncio that a test makes
region          what a test says: threads(), linearizable(), check(), under control and on real threads
run_script      a program under `bpor-native python`: the same for what is no test
sentence        an exception in one sentence
linearizable    the oracle: every serial order of the operations
explore         one test, from its settings to a Result
replay_value    a schedule with the settings that give it its meaning, as one word
"""
