//! A keyed table that remembers what was changed in it, so that a store writes exactly that.

use std::collections::BTreeSet;
use std::collections::btree_map::{self, BTreeMap};

/// Rows by key, with the keys that were inserted or borrowed for change since the last [`Table::take_changed`].
#[derive(Clone, Debug)]
pub struct Table<K, V> {
    rows: BTreeMap<K, V>,
    changed: BTreeSet<K>,
}

impl<K: Ord, V> Default for Table<K, V> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), changed: BTreeSet::new() }
    }
}

/// Two tables are the same when their rows are; what was changed on the way is not part of it.
impl<K: PartialEq, V: PartialEq> PartialEq for Table<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

impl<K: Eq, V: Eq> Eq for Table<K, V> {}

impl<K: Ord + Clone, V> Table<K, V> {
    /// One row.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.rows.get(key)
    }

    /// One row, to be changed.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let row = self.rows.get_mut(key)?;
        self.changed.insert(key.clone());
        Some(row)
    }

    /// Adds or replaces a row.
    pub fn insert(&mut self, key: K, row: V) {
        self.changed.insert(key.clone());
        self.rows.insert(key, row);
    }

    /// Takes a row away.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let row = self.rows.remove(key)?;
        self.changed.insert(key.clone());
        Some(row)
    }

    /// Puts a row in as it was loaded: not a change.
    pub fn load(&mut self, key: K, row: V) {
        self.rows.insert(key, row);
    }

    /// Whether there is such a row.
    pub fn contains(&self, key: &K) -> bool {
        self.rows.contains_key(key)
    }

    /// All rows in key order.
    pub fn iter(&self) -> btree_map::Iter<'_, K, V> {
        self.rows.iter()
    }

    /// All rows' values in key order.
    pub fn values(&self) -> btree_map::Values<'_, K, V> {
        self.rows.values()
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The keys changed since the last call; a key without a row was taken away.
    pub fn take_changed(&mut self) -> BTreeSet<K> {
        std::mem::take(&mut self.changed)
    }
}

impl<'a, K: Ord + Clone, V> IntoIterator for &'a Table<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = btree_map::Iter<'a, K, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
