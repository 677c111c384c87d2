//! Reads entries: from the first to the last, from the last to the first, and one by its number.
