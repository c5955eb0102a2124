// A channel, scoped threads, a Once and a sleep of the standard library: under control to the end, and the hour takes no time.
// The rendezvous spins with a back-off that counts its rounds: a fair bound has to let it go round often enough to show that it waits.
// What its machine code does has more schedules than a test can wait for: the library calls alone are searched.
// options: --machine-code=off
// args: an-hour
// bound none: pass
// bound fair:512: pass
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
