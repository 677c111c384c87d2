//! The tools that sayso itself runs. They decide nothing: what reaches them was approved, and they do exactly that or say why not.

pub mod result;
pub mod terminal;
pub mod web;
