//! A long line in little memory: the bodies of its strings are cut, the rest is kept.

/// How much of a string's body is kept, in bytes.
const KEPT: usize = 64 << 10;
/// The digits of a `\u` escape: they are kept with it.
const DIGITS: usize = 4;

/// A line that is being squeezed.
#[derive(Debug, Default)]
pub struct Squeeze {
    held: Vec<u8>,
    place: Place,
    over: bool,
}

/// Where in the line's JSON the next byte stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Outside of strings.
    #[default]
    Outside,
    /// In a string, of which so much is kept.
    Inside(usize),
    /// In a string, behind a backslash that is kept.
    Escaped(usize),
    /// In a string, behind a backslash that is not.
    Dropped,
}

impl Squeeze {
    /// Begins another line.
    pub fn clear(&mut self) {
        self.held = Vec::new();
        self.place = Place::Outside;
        self.over = false;
    }

    /// Takes the next bytes of the line. Over `cap` of them nothing is held any more.
    pub fn take(&mut self, mut bytes: &[u8], cap: usize) {
        while let Some((first, rest)) = bytes.split_first() {
            if self.over {
                return;
            }
            match self.place {
                Place::Outside => {
                    let quote = memchr::memchr(b'"', bytes);
                    let end = quote.map_or(bytes.len(), |quote| quote + 1);
                    self.hold(bytes.get(..end).unwrap_or_default());
                    bytes = bytes.get(end..).unwrap_or_default();
                    if quote.is_some() {
                        self.place = Place::Inside(0);
                    }
                }
                Place::Inside(kept) => {
                    let end = memchr::memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
                    let (plain, next) = bytes.split_at(end);
                    let plain = plain.get(..KEPT.saturating_sub(kept)).unwrap_or(plain);
                    self.hold(plain);
                    let kept = kept + plain.len();
                    bytes = next.get(1..).unwrap_or_default();
                    self.place = match next.first() {
                        Some(b'"') => {
                            self.hold(b"\"");
                            Place::Outside
                        }
                        Some(_) if kept < KEPT => {
                            self.hold(b"\\");
                            Place::Escaped(kept)
                        }
                        Some(_) => Place::Dropped,
                        None => Place::Inside(kept),
                    };
                }
                Place::Escaped(kept) => {
                    self.hold(&[*first]);
                    bytes = rest;
                    // The digits behind it must not be cut off.
                    let digits = if *first == b'u' { DIGITS } else { 0 };
                    self.place = Place::Inside((kept + 2).min(KEPT - digits));
                }
                Place::Dropped => {
                    bytes = rest;
                    self.place = Place::Inside(KEPT);
                }
            }
            if self.held.len() > cap {
                self.over = true;
                self.held = Vec::new();
            }
        }
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// Whether it is longer than the cap: nothing of it is held.
    pub const fn is_over(&self) -> bool {
        self.over
    }

    /// The squeezed line.
    pub fn bytes(&self) -> &[u8] {
        &self.held
    }
}
