//! What every engine is held to.
