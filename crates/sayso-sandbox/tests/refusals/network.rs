//! Connections, as programs make them without the proxy.

use sayso_core::policy::terms::Network;
use sayso_sandbox::explain::{Explained, explain};
use sayso_sandbox::refusal::Refused;

use crate::desk::{Desk, Test, has, is_root};

pub const TESTS: &[Test] = &[
    (
        "connections_are_noted_with_their_address",
        connections_are_noted_with_their_address,
    ),
    (
        "a_server_of_the_sandbox_is_reached_and_one_of_the_machine_is_not",
        a_server_of_the_sandbox_is_reached_and_one_of_the_machine_is_not,
    ),
    (
        "real_programs_are_told_why_they_reach_nothing",
        real_programs_are_told_why_they_reach_nothing,
    ),
    (
        "low_ports_and_other_users_are_roots_outside_only",
        low_ports_and_other_users_are_roots_outside_only,
    ),
    (
        "with_all_of_the_network_nothing_is_noted",
        with_all_of_the_network_nothing_is_noted,
    ),
];

fn to(address: &str, port: u16) -> Refused {
    Refused::Connect {
        address: address.parse().unwrap(),
        port,
    }
}

fn connections_are_noted_with_their_address() {
    let ran = Desk::new().python(
        "import socket\nfor family, kind, where in [(2, 1, ('203.0.113.7', 443)), (2, 2, ('203.0.113.8', 123)), (10, 1, ('2001:db8::1', 80)), (10, 1, ('::ffff:203.0.113.9', 22))]:\n try: socket.socket(family, kind).connect(where)\n except OSError: pass\ntry: socket.socket(1, 1).connect('/run/docker.sock')\nexcept OSError: pass\ntry: socket.socket(1, 1).connect('\\0abstract')\nexcept OSError: pass",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    let mut wanted = vec![
        to("203.0.113.7", 443),
        to("203.0.113.8", 123),
        to("2001:db8::1", 80),
        to("203.0.113.9", 22),
    ];
    wanted.push(Refused::Socket("/run/docker.sock".into()));
    assert_eq!(ran.refused(), wanted);
    assert_eq!(ran.refusals[0].errno, Some(libc::ENETUNREACH));
}

fn a_server_of_the_sandbox_is_reached_and_one_of_the_machine_is_not() {
    let outside = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = outside.local_addr().unwrap().port();
    let ran = Desk::new().python(&format!(
        "import socket\ntry: socket.create_connection(('127.0.0.1', {port}))\nexcept OSError as e: print(e.errno)\nlate = socket.socket()\nlate.bind(('127.0.0.1', 0))\nwhere = late.getsockname()\ntry: socket.create_connection(where)\nexcept OSError: pass\nlate.listen()\nsocket.create_connection(where)",
    ));
    assert_eq!(ran.output, format!("{}\n", libc::ECONNREFUSED));
    assert_eq!(ran.refused(), [to("127.0.0.1", port)]);
}

fn real_programs_are_told_why_they_reach_nothing() {
    let desk = Desk::new();
    let profile = desk.profile();
    let lines = |script: &str| -> Vec<String> {
        let ran = desk.run(script);
        assert_ne!(ran.code, Some(0), "{script}: {}", ran.output);
        explain(&profile, &ran.output, ran.code, &ran.refusals)
            .iter()
            .map(Explained::line)
            .collect()
    };
    if has("curl") {
        let told = lines("curl -sS --noproxy '*' http://203.0.113.7/");
        assert_eq!(
            told,
            [
                "the sandbox refused to connect to `203.0.113.7:80`; to allow it: list hosts in `sandbox.hosts`, or set `sandbox.network: true` for every host"
            ]
        );
        let told = lines("curl -sS --noproxy '*' https://example.com/");
        let is_named = |line: &String| {
            line.contains("`curl: (6) Could not resolve host: example.com`")
                && line.contains("sandbox.hosts: [example.com]")
        };
        assert!(told.iter().any(is_named), "{told:?}");
    }
    if has("git") && has("ssh") {
        let told = lines(
            "git init -q --template= r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && GIT_SSH_COMMAND='ssh -F /dev/null' git push ssh://git@203.0.113.7/x.git HEAD",
        );
        let is_ssh =
            |line: &String| line.starts_with("the sandbox refused to connect to `203.0.113.7:22`");
        assert!(told.iter().any(is_ssh), "{told:?}");
    }
}

fn low_ports_and_other_users_are_roots_outside_only() {
    let ran = Desk::new().python(
        "import os, socket\nfor one in [lambda: socket.socket().bind(('127.0.0.1', 80)), lambda: os.setresuid(1234, 1234, 1234), lambda: os.setuid(os.getuid())]:\n try: one()\n except OSError as e: print(e.errno)",
    );
    let wanted = [
        Refused::Listen { port: 80 },
        Refused::SystemCall("setresuid"),
    ];
    let wanted = if is_root() { &wanted[..] } else { &[] };
    assert_eq!(ran.refused(), wanted, "{}", ran.output);
}

fn with_all_of_the_network_nothing_is_noted() {
    let mut desk = Desk::new();
    desk.network = Network::Everything;
    let ran = desk.python("import socket\ns = socket.socket()\ns.settimeout(0.01)\nfor where in [('203.0.113.7', 443), ('127.0.0.1', 1)]:\n try: s.connect(where)\n except OSError: pass");
    assert_eq!(
        (ran.code, ran.refused()),
        (Some(0), vec![]),
        "{}",
        ran.output
    );
}
