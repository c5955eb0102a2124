// Two threads hold one mutex each, meet at a barrier and want the other one: they block in futexes, and nobody wakes them.
// bound preemption:0: deadlock
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

fn main() {
    let locks = Arc::new((Mutex::new(()), Mutex::new(()), Barrier::new(2)));
    let other = Arc::clone(&locks);
    let thread = thread::spawn(move || {
        let _second = other.1.lock().unwrap();
        other.2.wait();
        let _first = other.0.lock().unwrap();
    });
    let _first = locks.0.lock().unwrap();
    locks.2.wait();
    let _second = locks.1.lock().unwrap();
    drop(_second);
    drop(_first);
    thread.join().unwrap();
}
