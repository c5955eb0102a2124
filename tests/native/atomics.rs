// The programs of atomics.c by Rust's atomics. Threads are pthreads, because what std::thread does around them is atomic too.
use std::ffi::c_void;
use std::sync::atomic::{fence, AtomicI32, Ordering, Ordering::*};

extern "C" {
    fn pthread_create(thread: *mut u64, attributes: *const c_void, run: extern "C" fn(*mut c_void) -> *mut c_void, argument: *mut c_void) -> i32;
    fn pthread_join(thread: u64, result: *mut *mut c_void) -> i32;
}

static MEMORY: [AtomicI32; 26] = [const { AtomicI32::new(0) }; 26];

struct Operation {
    kind: String,
    variable: usize,
    order: Ordering,
    failure: Ordering,
    value: [i32; 2],
}

struct Body {
    operations: Vec<Operation>,
    reads: Vec<i32>,
}

fn order_named(name: &str) -> Ordering {
    match name {
        "rlx" => Relaxed,
        "acq" => Acquire,
        "rel" => Release,
        "ar" => AcqRel,
        _ => SeqCst,
    }
}

fn read_operation(text: &str) -> Operation {
    let mut words = text.split_whitespace();
    let mut kind = words.next().unwrap().split('.');
    let mut read = Operation { kind: kind.next().unwrap().to_string(), variable: 0, order: order_named(kind.next().unwrap_or("sc")), failure: SeqCst, value: [0, 0] };
    if let Some(place) = words.next() {
        let mut parts = place.split('.');
        read.variable = (parts.next().unwrap().as_bytes()[0] - b'a') as usize;
        read.order = order_named(parts.next().unwrap_or("sc"));
        read.failure = order_named(parts.next().unwrap_or("sc"));
    }
    for (i, word) in words.enumerate() {
        read.value[i] = word.parse().unwrap();
    }
    read
}

fn perform(one: &Operation) -> Option<i32> {
    let place = &MEMORY[one.variable];
    match one.kind.as_str() {
        "R" => Some(place.load(one.order)),
        "W" => { place.store(one.value[0], one.order); None }
        "RMW" => Some(place.fetch_add(1, one.order)),
        "SWAP" => Some(place.swap(one.value[0], one.order)),
        "CAS" => Some(match place.compare_exchange(one.value[0], one.value[1], one.order, one.failure) { Ok(old) => old, Err(old) => old }),
        _ => { fence(one.order); None }
    }
}

extern "C" fn run(argument: *mut c_void) -> *mut c_void {
    let body = unsafe { &mut *(argument as *mut Body) };
    for one in &body.operations {
        if let Some(value) = perform(one) {
            body.reads.push(value);
        }
    }
    std::ptr::null_mut()
}

fn main() {
    let text = std::env::args().nth(1).unwrap();
    let mut bodies: Vec<Body> = text.split('|')
        .map(|body| Body { operations: body.split(';').map(read_operation).collect(), reads: Vec::with_capacity(32) })
        .collect();
    let mut threads = vec![0u64; bodies.len()];
    for (thread, body) in threads.iter_mut().zip(bodies.iter_mut()) {
        unsafe { pthread_create(thread, std::ptr::null(), run, body as *mut Body as *mut c_void) };
    }
    for thread in &threads {
        unsafe { pthread_join(*thread, std::ptr::null_mut()) };
    }
    let mut printed = String::new();
    for body in &bodies {
        for value in &body.reads {
            printed += &format!("{value} ");
        }
        printed += "|";
    }
    for (i, place) in MEMORY.iter().enumerate() {
        let value = place.load(Relaxed);
        if value != 0 {
            printed += &format!("{}={value} ", (b'a' + i as u8) as char);
        }
    }
    println!("{printed}");
}
