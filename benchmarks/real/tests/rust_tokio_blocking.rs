// tokio: one blocking job in a runtime of the current thread.
fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
    let value = runtime.block_on(async { tokio::task::spawn_blocking(|| 42).await.unwrap() });
    assert_eq!(value, 42);
}
