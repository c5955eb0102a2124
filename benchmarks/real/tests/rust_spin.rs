// spin: two threads add under a spin lock.
use std::sync::Arc;

fn main() {
    let sum = Arc::new(spin::Mutex::new(0));
    let other = sum.clone();
    let one = std::thread::spawn(move || *other.lock() += 1);
    *sum.lock() += 1;
    one.join().unwrap();
    assert_eq!(*sum.lock(), 2);
}
