//! [`PairSet`]: pairs of slots that are kept from update to update.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// Pairs in a list, each at most once, with a map from the pair to its place.
///
/// The map is only ever asked, never walked, so its order shows nowhere; that of the list depends on what was inserted
/// and removed alone.
#[derive(Debug, Clone, Default)]
pub(super) struct PairSet {
    list: Vec<[u32; 2]>,
    places: HashMap<u64, u32, BuildHasherDefault<Mix>>,
}

/// The finalizer of splitmix64 (Steele, Lea and Flood 2014): one number in, one number out, the same in every run.
#[derive(Debug, Clone, Default)]
pub(super) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(self.0 ^ u64::from(*byte)));
    }

    fn write_u64(&mut self, x: u64) {
        let z = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        self.0 = z ^ (z >> 31);
    }
}

fn sorted(i: u32, j: u32) -> [u32; 2] {
    [i.min(j), i.max(j)]
}

fn key([i, j]: [u32; 2]) -> u64 {
    u64::from(i) << 32 | u64::from(j)
}

impl PairSet {
    /// Adds a pair; false if it is there already.
    pub(super) fn insert(&mut self, i: u32, j: u32) -> bool {
        let pair = sorted(i, j);
        let place = self.list.len() as u32;
        match self.places.entry(key(pair)) {
            std::collections::hash_map::Entry::Occupied(_) => false,
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(place);
                self.list.push(pair);
                true
            }
        }
    }

    /// Takes a pair away; false if it is not there. The last of the list takes its place.
    pub(super) fn remove(&mut self, i: u32, j: u32) -> bool {
        let Some(place) = self.places.remove(&key(sorted(i, j))) else { return false };
        self.list.swap_remove(place as usize);
        if let Some(moved) = self.list.get(place as usize) {
            self.places.insert(key(*moved), place);
        }
        true
    }

    pub(super) fn contains(&self, i: u32, j: u32) -> bool {
        self.places.contains_key(&key(sorted(i, j)))
    }

    pub(super) fn list(&self) -> &[[u32; 2]] {
        &self.list
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.places.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_kept_once_and_the_list_stays_whole() {
        let mut set = PairSet::default();
        assert!(set.insert(3, 1) && !set.insert(1, 3) && set.insert(1, 2) && set.insert(2, 3));
        assert!(set.remove(1, 3) && !set.remove(3, 1));
        assert_eq!(set.list(), [[2, 3], [1, 2]]);
        assert!(set.remove(1, 2) && set.contains(3, 2) && set.remove(2, 3));
        assert!(set.list().is_empty() && set.places.is_empty());
    }
}
