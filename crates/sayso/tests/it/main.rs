//! The product as people and programs use it: one binary of integration tests.
