//! A server in the background, and those who ask it. With a sandbox for each command, both are in one command.

use super::desk::{Desk, SANDBOXED};

/// Starts a server of the project and waits for it; its address is in `$URL`.
const START: &str = "python3 -m http.server --bind 127.0.0.1 0 > log 2>&1 & server=$!
for _ in $(seq 100); do PORT=$(grep -o 'port [0-9]*' log | cut -d' ' -f2) && [ -n \"$PORT\" ] && break; sleep 0.1; done
URL=http://127.0.0.1:$PORT; ";
const END: &str = "; kill $server";

fn serve(ask: &str) -> String {
    // A server that prints through a pipe or into a file says nothing before it ends.
    format!("export PYTHONUNBUFFERED=1; {START}{ask}{END}")
}

#[test]
fn curl_asks_a_server_in_the_background() {
    let Some(desk) = Desk::with(&["python3", "curl"]) else {
        return;
    };
    desk.file("index.html", "<p>served</p>\n");
    desk.work_everywhere(
        "a server && curl",
        "rm -f log",
        &serve("curl -sf $URL/index.html | grep served"),
    );
}

#[test]
fn a_browser_shows_a_page_of_the_server() {
    let Some(desk) = Desk::with(&["python3", "chromium"]) else {
        return;
    };
    desk.file("index.html", "<p id=x></p><script>document.getElementById('x').textContent = 'made ' + 'here'</script>\n");
    let ask = "chromium --headless --no-sandbox --disable-gpu --dump-dom $URL/index.html > dom 2> errors; cat dom | grep 'made here'";
    for way in SANDBOXED {
        let done = desk.try_to(way, &serve(ask));
        let errors = std::fs::read_to_string(desk.project.join("errors")).unwrap_or_default();
        assert_eq!(done.code, 0, "{way:?}: {}{}\n{errors}", done.out, done.err);
    }
    desk.work_everywhere("a server && chromium", "rm -f log dom", &serve(ask));
}
