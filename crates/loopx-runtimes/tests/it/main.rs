//! The adapters against recordings and bad input.
