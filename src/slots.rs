//! [`Slots`]: a list whose values keep their places, under names that are never used again.
//!
//! A name is the number of a slot and a generation. A value that is taken out leaves its slot to another one, and the slot goes
//! on to its next generation: the old name then finds nothing, instead of the wrong value. (Known as a slot map, or as a
//! generational arena.)

/// What is called by a slot and a generation.
pub(crate) trait SlotName: Copy + Eq {
    /// The first name of a slot.
    fn first(slot: u32) -> Self;

    /// The name after this one in the same slot; `None` if there are no more generations.
    fn next(self) -> Option<Self>;

    /// The slot.
    fn slot(self) -> u32;
}

/// Makes a struct of a `slot` and a `generation`, both `u32`, a [`SlotName`].
macro_rules! slot_name {
    ($name:ty) => {
        impl $crate::slots::SlotName for $name {
            fn first(slot: u32) -> Self {
                Self { slot, generation: 0 }
            }

            fn next(self) -> Option<Self> {
                Some(Self { generation: self.generation.checked_add(1)?, ..self })
            }

            fn slot(self) -> u32 {
                self.slot
            }
        }
    };
}
pub(crate) use slot_name;

/// Values in slots. The slot that was left last is the next to be taken.
#[derive(Debug, Clone)]
pub(crate) struct Slots<N, V> {
    list: Vec<Slot<N, V>>,
    /// Slots without a value, but those that have run out of names.
    free: Vec<u32>,
    /// How many values there are.
    count: usize,
}

/// One slot, with a value or without.
#[derive(Debug, Clone)]
pub(crate) struct Slot<N, V> {
    /// That of the value, or of the next one.
    name: N,
    value: Option<V>,
}

impl<N, V> Default for Slots<N, V> {
    fn default() -> Self {
        Self { list: Vec::new(), free: Vec::new(), count: 0 }
    }
}

impl<N: SlotName, V> Slots<N, V> {
    /// Puts a value into the [next slot](Self::next_slot).
    pub(crate) fn add(&mut self, value: V) -> N {
        let slot = self.free.pop().unwrap_or_else(|| {
            let slot = self.list.len() as u32;
            self.list.push(Slot { name: N::first(slot), value: None });
            slot
        });
        let entry = &mut self.list[slot as usize];
        entry.value = Some(value);
        self.count += 1;
        entry.name
    }

    /// The slot that the next value gets.
    pub(crate) fn next_slot(&self) -> u32 {
        self.free.last().copied().unwrap_or(self.list.len() as u32)
    }

    /// Takes a value out, and its name away for good; `None` if it is not there.
    pub(crate) fn remove(&mut self, name: N) -> Option<V> {
        let entry = self.list.get_mut(name.slot() as usize).filter(|entry| entry.name == name)?;
        let value = entry.value.take()?;
        self.count -= 1;
        // A slot that has run out of names is not used again.
        if let Some(next) = name.next() {
            entry.name = next;
            self.free.push(name.slot());
        }
        Some(value)
    }

    /// The value of a name.
    #[inline]
    pub(crate) fn get(&self, name: N) -> Option<&V> {
        self.list.get(name.slot() as usize).filter(|entry| entry.name == name)?.value.as_ref()
    }

    /// The same, to be changed.
    pub(crate) fn get_mut(&mut self, name: N) -> Option<&mut V> {
        self.list.get_mut(name.slot() as usize).filter(|entry| entry.name == name)?.value.as_mut()
    }

    /// What is in a slot, of those that there are.
    #[inline]
    pub(crate) fn at(&self, slot: u32) -> &Slot<N, V> {
        &self.list[slot as usize]
    }

    /// The same, to be changed.
    pub(crate) fn at_mut(&mut self, slot: u32) -> &mut Slot<N, V> {
        &mut self.list[slot as usize]
    }

    /// All slots.
    #[inline]
    pub(crate) fn list(&self) -> &[Slot<N, V>] {
        &self.list
    }

    /// The same, with values to be changed.
    pub(crate) fn list_mut(&mut self) -> &mut [Slot<N, V>] {
        &mut self.list
    }

    /// All values, by slot.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (N, &V)> {
        self.list.iter().filter_map(|entry| entry.value().map(|value| (entry.name, value)))
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }
}

impl<N: Copy, V> Slot<N, V> {
    /// The name of the value, or of the next one; the last one for good if there are no more.
    #[inline]
    pub(crate) fn name(&self) -> N {
        self.name
    }

    /// The value, if there is one.
    #[inline]
    pub(crate) fn value(&self) -> Option<&V> {
        self.value.as_ref()
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn value_mut(&mut self) -> Option<&mut V> {
        self.value.as_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::{SlotName, Slots};

    /// A name with three generations.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    struct Name(u32, u32);

    impl SlotName for Name {
        fn first(slot: u32) -> Self {
            Self(slot, 0)
        }

        fn next(self) -> Option<Self> {
            (self.1 < 2).then_some(Self(self.0, self.1 + 1))
        }

        fn slot(self) -> u32 {
            self.0
        }
    }

    fn of<const N: usize>(values: [char; N]) -> Slots<Name, char> {
        let mut slots = Slots::default();
        for value in values {
            slots.add(value);
        }
        slots
    }

    #[test]
    fn the_name_of_a_removed_value_finds_nothing() {
        let mut slots = of(['a', 'b']);
        assert_eq!(slots.remove(Name(0, 0)), Some('a'));
        assert_eq!((slots.get(Name(0, 0)), slots.get(Name(0, 1))), (None, None));
        assert_eq!(slots.add('c'), Name(0, 1));
        assert_eq!((slots.get(Name(0, 0)), slots.get(Name(0, 1))), (None, Some(&'c')));
        assert_eq!(slots.get_mut(Name(0, 0)), None);
        assert_eq!(slots.get_mut(Name(0, 1)), Some(&mut 'c'));
        assert_eq!((slots.remove(Name(0, 0)), slots.remove(Name(7, 0))), (None, None));
        assert_eq!(slots.iter().collect::<Vec<_>>(), [(Name(0, 1), &'c'), (Name(1, 0), &'b')]);
        assert_eq!(slots.len(), 2);
    }

    #[test]
    fn the_slot_that_was_left_last_is_taken_first() {
        let mut slots = of(['a', 'b', 'c']);
        slots.remove(Name(0, 0));
        slots.remove(Name(2, 0));
        let order: Vec<_> = (0..3).map(|_| (slots.next_slot(), slots.add('d'))).collect();
        assert_eq!(order, [(2, Name(2, 1)), (0, Name(0, 1)), (3, Name(3, 0))]);
    }

    #[test]
    fn a_slot_without_further_names_stays_empty() {
        let mut slots = of(['a']);
        for generation in 0..3 {
            assert_eq!(slots.remove(Name(0, generation)), Some('a'));
            if generation < 2 {
                slots.add('a');
            }
        }
        assert_eq!((slots.get(Name(0, 2)), slots.len()), (None, 0));
        assert_eq!(slots.add('b'), Name(1, 0));
    }
}
