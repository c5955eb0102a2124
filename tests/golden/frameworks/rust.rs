fn three() -> i32 {
    3
}

#[test]
fn equal() {
    assert_eq!(three(), 2);
}

#[test]
fn message() {
    assert_ne!(three(), 1 + 2, "a message {}", 3);
}

#[test]
fn truth() {
    assert!(three() < 2);
}

#[test]
fn thread() {
    std::thread::spawn(|| { None::<i32>.unwrap(); }).join().unwrap();
}

#[test]
fn error() -> Result<(), String> {
    Err("bad".into())
}

#[test]
#[should_panic(expected = "x")]
fn panics() {}
