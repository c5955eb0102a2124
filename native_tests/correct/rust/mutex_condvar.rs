// A Mutex and a Condvar of the standard library: the waiter blocks in a futex until it is notified. The uncontended paths are inline.
// options: --machine-code=auto
// bound fair:2,preemption:2: pass
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

fn main() {
    let pair = Arc::new((Mutex::new(0), Condvar::new()));
    let other = Arc::clone(&pair);
    let adder = thread::spawn(move || {
        let (mutex, changed) = &*other;
        *mutex.lock().unwrap() += 1;
        changed.notify_one();
    });
    let (mutex, changed) = &*pair;
    let mut value = mutex.lock().unwrap();
    while *value == 0 {
        value = changed.wait(value).unwrap();
    }
    drop(value);
    adder.join().unwrap();
}
