//! JSON as RFC 8259 has it, and stricter in one point: a key may not stand twice.

mod read;
mod scan;
mod skip;
mod write;

pub use read::{read, read_with_comments};
pub use scan::Scanner;
pub use write::{quote, write, write_plain};
