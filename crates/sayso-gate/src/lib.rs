//! The controller: one pipeline that walks a call from operation to verdict, over ports to the outside.

pub mod pipeline;
pub mod ports;
