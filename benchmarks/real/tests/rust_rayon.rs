// rayon: a join in a pool of two threads.
fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let (one, two) = pool.install(|| rayon::join(|| 1, || 2));
    assert_eq!(one + two, 3);
}
