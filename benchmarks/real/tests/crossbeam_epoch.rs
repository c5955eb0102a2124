// crossbeam-epoch: a reader of a value that is replaced and destroyed.
use crossbeam_epoch::{self as epoch, Atomic, Owned};
use std::sync::{atomic::Ordering, Arc};

fn main() {
    let shared = Arc::new(Atomic::new(1));
    let other = shared.clone();
    let reader = std::thread::spawn(move || {
        let guard = epoch::pin();
        let seen = other.load(Ordering::Acquire, &guard);
        let value = *unsafe { seen.deref() };
        assert!(value == 1 || value == 2);
    });
    {
        let guard = epoch::pin();
        let old = shared.swap(Owned::new(2), Ordering::AcqRel, &guard);
        unsafe { guard.defer_destroy(old) };
    }
    reader.join().unwrap();
}
