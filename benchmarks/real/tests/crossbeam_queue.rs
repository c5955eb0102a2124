// crossbeam-queue: a bounded queue of two slots, one thread pushes, one pops.
use std::sync::Arc;

fn main() {
    let queue = Arc::new(crossbeam_queue::ArrayQueue::new(2));
    let other = queue.clone();
    let pusher = std::thread::spawn(move || {
        other.push(1).unwrap();
        other.push(2).unwrap();
    });
    let mut last = 0;
    if let Some(one) = queue.pop() {
        assert_eq!(one, 1);
        last = 1;
    }
    pusher.join().unwrap();
    while let Some(one) = queue.pop() {
        last += 1;
        assert_eq!(one, last);
    }
    assert_eq!(last, 2);
}
