//! A sandbox that lasts as long as a session: what its commands share, what they never see, and what is left of it.

mod beside;
mod ends;
mod limits;
mod newcomers;
mod room;
mod same;
mod work;
