// threadpool: two jobs, and a join.
use std::sync::{
    atomic::{AtomicUsize, Ordering},
    Arc,
};

fn main() {
    let pool = threadpool::ThreadPool::new(2);
    let sum = Arc::new(AtomicUsize::new(0));
    for _ in 0..2 {
        let sum = sum.clone();
        pool.execute(move || {
            sum.fetch_add(1, Ordering::SeqCst);
        });
    }
    pool.join();
    assert_eq!(sum.load(Ordering::SeqCst), 2);
}
