// dashmap: two threads insert.
use std::sync::Arc;

fn main() {
    let map = Arc::new(dashmap::DashMap::with_shard_amount(2));
    let other = map.clone();
    let one = std::thread::spawn(move || other.insert(1, 1));
    map.insert(2, 2);
    one.join().unwrap();
    assert_eq!(map.len(), 2);
}
