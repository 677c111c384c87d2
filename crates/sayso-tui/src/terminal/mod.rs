//! The terminal itself: taken over for keys and given back, typed input that came too early, and notices while a prompt waits.

pub mod notice;
pub mod tty;
pub mod typed_ahead;
