// thread_local: each of two threads has a value of its own. The first has its number before the other begins: a number, with its value,
// is given to the next thread when a thread ends, as the crate says.
use std::{cell::Cell, sync::Arc};

fn main() {
    let values = Arc::new(thread_local::ThreadLocal::new());
    let other = values.clone();
    values.get_or(|| Cell::new(2));
    let one = std::thread::spawn(move || other.get_or(|| Cell::new(1)).get());
    assert_eq!(values.get_or(|| Cell::new(3)).get(), 2);
    assert_eq!(one.join().unwrap(), 1);
    let values = Arc::try_unwrap(values).ok().unwrap();
    assert_eq!(values.into_iter().map(|one| one.get()).sum::<i32>(), 3);
}
