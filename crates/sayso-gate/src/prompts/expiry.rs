//! The thread that denies what is due; there is one for a queue, and only while something in it can be due.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Shared;

/// Starts the thread, unless it runs already.
pub(super) fn start(shared: &Arc<Shared>) {
    if !shared.at_desk(super::Desk::hire_keeper) {
        return;
    }
    let kept = Arc::clone(shared);
    let spawned = std::thread::Builder::new()
        .name("sayso-prompts".to_owned())
        .spawn(move || keep(&kept));
    if spawned.is_err() {
        // Without it nothing would ever be due, so what waits is denied now.
        shared.at_desk(|desk| desk.dismiss_keeper("no thread could be started to end it in time"));
    }
}

/// If the thread breaks, another one has to be started, and what waited for this one is denied.
struct OnDuty<'a>(&'a Shared);

impl Drop for OnDuty<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0
                .at_desk(|desk| desk.dismiss_keeper("the thread that would end it in time broke"));
        }
    }
}

fn keep(shared: &Arc<Shared>) {
    let _on_duty = OnDuty(shared);
    loop {
        shared.at_desk(|desk| desk.expire(Instant::now()));
        let desk = shared.desk();
        let Some(due) = desk.next_due() else {
            let mut desk = desk;
            desk.rest_keeper();
            return;
        };
        let left = due
            .saturating_duration_since(Instant::now())
            .max(Duration::from_millis(1));
        drop(shared.bell.wait_timeout(desk, left));
    }
}
