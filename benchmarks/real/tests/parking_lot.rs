// parking_lot: two threads add under a mutex, and a condition tells the third.
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;

fn main() {
    let shared = Arc::new((Mutex::new(0), Condvar::new()));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let shared = shared.clone();
            std::thread::spawn(move || {
                *shared.0.lock() += 1;
                shared.1.notify_one();
            })
        })
        .collect();
    {
        let mut sum = shared.0.lock();
        while *sum < 2 {
            shared.1.wait(&mut sum);
        }
    }
    for thread in threads {
        thread.join().unwrap();
    }
}
