// crossbeam-deque: an owner that pushes and pops, and a thief.
use crossbeam_deque::{Steal, Worker};

fn main() {
    let worker = Worker::new_lifo();
    let stealer = worker.stealer();
    worker.push(1);
    worker.push(2);
    let thief = std::thread::spawn(move || match stealer.steal() {
        Steal::Success(one) => one,
        _ => 0,
    });
    let mut sum = worker.pop().unwrap_or(0);
    sum += thief.join().unwrap();
    while let Some(one) = worker.pop() {
        sum += one;
    }
    assert_eq!(sum, 3);
}
