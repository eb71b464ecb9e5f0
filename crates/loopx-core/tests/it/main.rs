//! Tests of the domain.

mod first_screen;
