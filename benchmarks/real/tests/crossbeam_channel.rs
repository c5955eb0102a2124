// crossbeam-channel: two senders, one receiver, which sees the end when both are gone.
fn main() {
    let (sender, receiver) = crossbeam_channel::bounded(1);
    let other = sender.clone();
    let one = std::thread::spawn(move || sender.send(1).unwrap());
    let two = std::thread::spawn(move || other.send(2).unwrap());
    assert_eq!(receiver.iter().sum::<i32>(), 3);
    one.join().unwrap();
    two.join().unwrap();
}
