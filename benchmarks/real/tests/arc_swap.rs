// arc-swap: a reader of an Arc that is replaced.
use arc_swap::ArcSwap;
use std::sync::Arc;

fn main() {
    let shared = Arc::new(ArcSwap::from_pointee(1));
    let other = shared.clone();
    let reader = std::thread::spawn(move || {
        let seen = other.load();
        assert!(**seen == 1 || **seen == 2);
    });
    shared.store(Arc::new(2));
    reader.join().unwrap();
    assert_eq!(**shared.load(), 2);
}
