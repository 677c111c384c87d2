//! The sandbox: that it is never weaker than the tools, and what it does for real.

mod escapes;
mod never_weaker;
mod ordinary;
