//! The decision table: every row, each with its nearest neighbour one fact away.

mod fields;
mod properties;
mod rows;
mod world;
