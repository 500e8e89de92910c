//! The same for each of many characters, on as many threads as there are.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Characters that a thread takes at once.
#[cfg(feature = "parallel")]
pub(super) const RUN: usize = 16;

/// Whether there is no other thread to hand work to: handing it over to one costs more than a loop.
pub(super) fn is_alone() -> bool {
    #[cfg(feature = "parallel")]
    let count = rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    let count = 1;
    count == 1
}

/// Does something with each of a list, its place, and what is at the same place of another list.
pub(super) fn each<A: Send, B: Send>(all: &mut [A], others: &mut [B], act: impl Fn(usize, &mut A, &mut B) + Sync) {
    #[cfg(feature = "parallel")]
    if !is_alone() {
        let pairs = all.par_iter_mut().with_min_len(RUN).zip(others).enumerate();
        return pairs.for_each(|(place, (one, other))| act(place, one, other));
    }
    all.iter_mut().zip(others).enumerate().for_each(|(place, (one, other))| act(place, one, other));
}

/// The same with something that may fail: the error of the first that does, when those after it may have been done or not.
pub(super) fn try_each<A: Send, B: Send, E: Send>(
    all: &mut [A],
    others: &mut [B],
    act: impl Fn(usize, &mut A, &mut B) -> Result<(), E> + Sync,
) -> Result<(), E> {
    #[cfg(feature = "parallel")]
    if !is_alone() {
        let pairs = all.par_iter_mut().with_min_len(RUN).zip(others).enumerate();
        let errors = pairs.map(|(place, (one, other))| act(place, one, other));
        return errors.find_map_first(Result::err).map_or(Ok(()), Err);
    }
    all.iter_mut().zip(others).enumerate().try_for_each(|(place, (one, other))| act(place, one, other))
}
