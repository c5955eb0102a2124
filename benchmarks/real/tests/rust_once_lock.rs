// once_cell: one of two threads initialises.
use once_cell::sync::OnceCell;
use std::sync::Arc;

fn main() {
    let cell = Arc::new(OnceCell::new());
    let other = cell.clone();
    let one = std::thread::spawn(move || *other.get_or_init(|| 1));
    let own = *cell.get_or_init(|| 2);
    assert_eq!(one.join().unwrap(), own);
}
