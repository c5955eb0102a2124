// event-listener: a flag that is set, and a listener that waits for it.
use std::sync::{
    atomic::{AtomicBool, Ordering},
    Arc,
};

fn main() {
    let shared = Arc::new((AtomicBool::new(false), event_listener::Event::new()));
    let other = shared.clone();
    let setter = std::thread::spawn(move || {
        other.0.store(true, Ordering::SeqCst);
        other.1.notify(1);
    });
    while !shared.0.load(Ordering::SeqCst) {
        let listener = shared.1.listen();
        if shared.0.load(Ordering::SeqCst) {
            break;
        }
        listener.wait();
    }
    setter.join().unwrap();
}
