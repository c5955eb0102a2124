// A channel, scoped threads, a Once and a sleep of the standard library: under control to the end, and the hour takes no time.
// args: an-hour
// bound none: pass
use std::sync::{mpsc, Once};
use std::thread;
use std::time::{Duration, Instant};

static START: Once = Once::new();

fn main() {
    let (sender, receiver) = mpsc::sync_channel::<u32>(0);
    let before = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            START.call_once(|| {});
            if std::env::args().count() > 1 {
                thread::sleep(Duration::from_secs(3600));
            }
            sender.send(7).unwrap();
        });
        START.call_once(|| {});
        assert_eq!(receiver.recv().unwrap(), 7);
    });
    if std::env::args().count() > 1 {
        assert!(before.elapsed() >= Duration::from_secs(3600));
    }
}
