//! Commands in a network of their own, with the proxy as the only way out of it: as root and as somebody without rights.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use sayso_core::policy::terms::Network;
use sayso_sandbox::proxy::Proxy;
use sayso_sandbox::proxy::variables;
use sayso_sandbox::proxy_listener::hand_out;

/// Where the number of the inner end is, and that this program is the inner step.
const NUMBER: &str = "SAYSO_TEST_INNER";

/// Not a test: what runs inside of the sandbox before the command, when the test starts itself there.
#[test]
fn inner_step() {
    let Ok(number) = std::env::var(NUMBER) else {
        return;
    };
    let port = hand_out(number.parse().unwrap()).unwrap();
    let script = std::env::var_os("SAYSO_TEST_SCRIPT").unwrap();
    panic!(
        "{}",
        Command::new("/bin/sh")
            .arg("-c")
            .arg(script)
            .envs(variables(port))
            .exec()
    );
}

/// A web server that answers everything with what it was asked for.
fn web() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut client in listener.incoming().map_while(Result::ok) {
            let mut read = Vec::new();
            let mut buffer = [0; 1024];
            while !read.windows(4).any(|four| four == b"\r\n\r\n") {
                match client.read(&mut buffer) {
                    Ok(count @ 1..) => read.extend_from_slice(&buffer[..count]),
                    _ => break,
                }
            }
            let asked = String::from_utf8_lossy(&read)
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned();
            let body = format!("served <{asked}>\n");
            let _ = write!(
                client,
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    port
}

struct Ran {
    output: String,
    asked: Vec<String>,
    refused: Vec<String>,
}

/// This program, where everybody can run it.
fn copy(folder: &Path) -> PathBuf {
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    let copy = folder.join("inner");
    std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o755)).unwrap();
    copy
}

/// Runs a script in a network of its own; none, and loudly, where that cannot be done here.
fn run(script: &str, user: Option<u32>) -> Option<Ran> {
    let folder = tempfile::Builder::new()
        .prefix("proxy")
        .tempdir_in("/tmp")
        .unwrap();
    let program = copy(folder.path());
    let as_user = |command: &mut Command| {
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        command
            .current_dir("/")
            .env_remove("http_proxy")
            .env_remove("https_proxy")
            .env_remove("all_proxy");
    };
    let mut probe = Command::new("bwrap");
    as_user(
        probe
            .args([
                "--dev-bind",
                "/",
                "/",
                "--unshare-net",
                "--unshare-user",
                "true",
            ])
            .stderr(Stdio::null()),
    );
    if !probe.status().is_ok_and(|status| status.success()) {
        eprintln!(
            "NOT CHECKED: bubblewrap cannot make a network here for user {user:?}, so the proxy was not tried from inside of one"
        );
        return None;
    }
    let target = web();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&asked);
    let connect = move |host: &str, port: u16| {
        heard.lock().unwrap().push(format!("{host}:{port}"));
        TcpStream::connect((Ipv4Addr::LOCALHOST, target)).map_err(Into::into)
    };
    let network = Network::Hosts(vec![
        "allowed.example".to_owned(),
        "*.wild.example".to_owned(),
    ]);
    let (proxy, inner): (Proxy, OwnedFd) = Proxy::listen(network, Box::new(connect)).unwrap();
    let mut command = Command::new("bwrap");
    command.args([
        "--dev-bind",
        "/",
        "/",
        "--unshare-net",
        "--unshare-user",
        "--unshare-pid",
        "--die-with-parent",
    ]);
    // The shell puts it where it belongs, so that no other process of these tests gets it by accident.
    command
        .args(["/bin/sh", "-c", "exec 9<&0 </dev/null; exec \"$0\" \"$@\""])
        .stdin(inner);
    command
        .arg(&program)
        .args(["--exact", "proxy::inner_step", "--nocapture"]);
    command.env(NUMBER, "9").env("SAYSO_TEST_SCRIPT", script);
    as_user(&mut command);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Its copy of the inner end goes with it.
    drop(command);
    let ended = child.wait_with_output().unwrap();
    let output = format!(
        "{}{}",
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr)
    );
    let refused = proxy.refused();
    drop(proxy);
    let asked = asked.lock().unwrap().clone();
    Some(Ran {
        output,
        asked,
        refused,
    })
}

/// Everybody that this test can be: who runs it, and nobody, if that is root.
fn users() -> Vec<Option<u32>> {
    if rustix::process::geteuid().is_root() {
        vec![None, Some(65534)]
    } else {
        vec![None]
    }
}

fn has(program: &str) -> bool {
    let found = Path::new(program).exists();
    if !found {
        eprintln!("NOT CHECKED: there is no {program} here");
    }
    found
}

#[test]
fn curl_reaches_listed_hosts_and_no_others() {
    if !has("/usr/bin/curl") {
        return;
    }
    let script = "env | grep -i proxy | sort
        /usr/bin/curl -sS http://allowed.example/one
        /usr/bin/curl -sS http://a.wild.example/two
        /usr/bin/curl -sS -p http://allowed.example:443/three
        /usr/bin/curl -sS -H 'Host: evil.example' http://allowed.example/four
        /usr/bin/curl -sS http://evil.example/five
        /usr/bin/curl -sS https://evil.example/six
        /usr/bin/curl -sS http://user:pw@other.example/seven
        /usr/bin/curl -sS --noproxy '*' --max-time 5 http://203.0.113.9/eight
        ls -l /proc/self/fd | grep -c socket";
    for user in users() {
        let Some(ran) = run(script, user) else { return };
        let out = &ran.output;
        for line in [
            "served <GET /one HTTP/1.1>",
            "served <GET /two HTTP/1.1>",
            "served <GET /three HTTP/1.1>",
            "served <GET /four HTTP/1.1>",
        ] {
            assert!(out.contains(line), "{user:?}: {line}: {out}");
        }
        assert!(
            out.contains("https_proxy=http://127.0.0.1:")
                && out.contains("no_proxy=localhost,127.0.0.1,::1"),
            "{out}"
        );
        assert!(
            out.contains("sayso: the sandbox refused to reach `evil.example`"),
            "{out}"
        );
        assert!(
            !out.contains("/five HTTP") && !out.contains("/eight HTTP"),
            "{out}"
        );
        assert_eq!(
            ran.asked,
            [
                "allowed.example:80",
                "a.wild.example:80",
                "allowed.example:443",
                "allowed.example:80"
            ],
            "{out}"
        );
        assert_eq!(ran.refused, ["evil.example", "other.example"]);
        assert!(
            out.contains("\n0\n"),
            "the command has no socket of the inner step: {out}"
        );
    }
}

#[test]
fn python_reaches_listed_hosts_and_no_others() {
    let python = ["/usr/bin/python3", "/usr/local/bin/python3"]
        .into_iter()
        .find(|program| Path::new(program).exists());
    let Some(python) = python else {
        eprintln!("NOT CHECKED: there is no python3 that everybody can run here");
        return;
    };
    let script = format!(
        "{python} - <<'END'
import urllib.request, socket
print(urllib.request.urlopen('http://allowed.example/one').read())
try: urllib.request.urlopen('http://evil.example/two')
except Exception as error: print('refused', error.code, error.read())
try: print(urllib.request.urlopen('https://evil.example/three'))
except Exception as error: print('refused', error)
try: socket.create_connection(('192.0.2.1', 80), 3)
except OSError as error: print('direct', error)
server = socket.create_server(('127.0.0.1', 0))
own = socket.create_connection(server.getsockname()); own.sendall(b'own'); print(server.accept()[0].recv(3))
END"
    );
    for user in users() {
        let Some(ran) = run(&script, user) else {
            return;
        };
        let out = &ran.output;
        assert!(
            out.contains("served <GET /one HTTP/1.1>"),
            "{user:?}: {out}"
        );
        assert!(
            out.contains("refused 403 b'sayso: the sandbox refused to reach `evil.example`;"),
            "{out}"
        );
        assert!(out.contains("Tunnel connection failed: 403"), "{out}");
        assert!(out.contains("direct") && out.contains("b'own'"), "{out}");
        assert_eq!(ran.asked, ["allowed.example:80"]);
        assert_eq!(ran.refused, ["evil.example"]);
    }
}

#[test]
fn what_is_no_way_out_is_told() {
    let error = hand_out(1).unwrap_err();
    assert!(error.to_string().contains("is not the way out"), "{error}");
    let error = hand_out(900).unwrap_err();
    assert!(error.to_string().contains("is not the way out"), "{error}");
    let file = tempfile::tempfile().unwrap();
    let error = hand_out(file.as_raw_fd()).unwrap_err();
    assert!(error.to_string().contains("is not the way out"), "{error}");
}
