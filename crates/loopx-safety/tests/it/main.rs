//! What holds of every text, and what must not compile.

mod compile_fail;
mod properties;
mod titles;
