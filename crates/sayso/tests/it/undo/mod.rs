//! `sayso undo` through the real program: what it takes back, what it refuses, and what it says.

mod killed;
mod parts;
mod refusals;
mod round_trips;
mod said;
