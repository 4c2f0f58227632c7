//! Bytes that a piece of work held at once, counted by the allocator.

/// What a reader may hold beside what depends on its input: a sentence of an error, a first page of
/// a map.
const FLOOR_BYTES: u64 = 4096;

/// Runs `work`, which may hold `factor` bytes for each of `input` bytes, and a little more.
///
/// # Panics
/// It held more.
pub fn bounded<R>(input: usize, factor: u64, work: impl FnOnce() -> R) -> R {
    let (bytes_max, done) = measured(work);
    let most = FLOOR_BYTES + factor * u64::try_from(input).unwrap_or(u64::MAX);
    assert!(
        bytes_max <= most,
        "{bytes_max} bytes held at once for an input of {input}; at most {most}"
    );
    done
}

/// The greatest number of bytes that `work` held at once on this thread, and what it gave.
pub fn measured<R>(work: impl FnOnce() -> R) -> (u64, R) {
    let mut done = None;
    let counted = allocation_counter::measure(|| done = Some(work()));
    (counted.bytes_max, done.expect("it has run"))
}
