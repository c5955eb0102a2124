// sharded-slab: one thread inserts and removes, another looks.
use std::sync::Arc;

fn main() {
    let slab = Arc::new(sharded_slab::Slab::new());
    let key = slab.insert(1).unwrap();
    let other = slab.clone();
    let looker = std::thread::spawn(move || other.get(key).map(|one| *one));
    assert!(slab.remove(key));
    let seen = looker.join().unwrap();
    assert!(seen.is_none() || seen == Some(1));
    assert!(slab.get(key).is_none());
}
