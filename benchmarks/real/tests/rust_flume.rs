// flume: a bounded channel without room.
fn main() {
    let (sender, receiver) = flume::bounded(0);
    let one = std::thread::spawn(move || sender.send(1).unwrap());
    assert_eq!(receiver.recv(), Ok(1));
    assert!(receiver.recv().is_err());
    one.join().unwrap();
}
