// Rust's std: two senders of a channel, one receiver.
use std::sync::mpsc;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let other = sender.clone();
    let one = std::thread::spawn(move || sender.send(1).unwrap());
    let two = std::thread::spawn(move || other.send(2).unwrap());
    assert_eq!(receiver.iter().sum::<i32>(), 3);
    one.join().unwrap();
    two.join().unwrap();
}
