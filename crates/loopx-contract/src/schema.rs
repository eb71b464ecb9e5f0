//! The JSON Schemas.
