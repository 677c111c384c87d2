//! Attempts to talk to somebody outside: over the network, and over sockets of the machine.

use super::attempt::{Attempt, python};

const PATHS: &str = "Landlock does not guard sockets that are files before Linux 7.1.";

pub fn attempts() -> Vec<Attempt> {
    vec![
        python("connect by TCP to this machine", "socket.create_connection(('127.0.0.1', {tcp}), 5).send(b'x')"),
        python("connect by TCP to an address of this machine", "socket.create_connection(('{address}', {tcp}), 5).send(b'x')"),
        python(
            "connect by TCP with the first bytes",
            "it = socket.socket(); it.settimeout(5); it.sendto(b'x', 0x20000000, ('127.0.0.1', {tcp}))",
        ),
        python("send by UDP to this machine", "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {udp}))"),
        python(
            "send by UDP to an address of this machine",
            "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('{address}', {udp}))",
        ),
        python(
            "send by UDP over the newer protocol",
            "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b'x', ('::ffff:127.0.0.1', {udp}))",
        ),
        python(
            "ask for the address of a name",
            "servers = [line.split()[1] for line in open('/etc/resolv.conf') if line.startswith('nameserver')]\n\
             query = b'\\x12\\x34\\x01\\0\\0\\1\\0\\0\\0\\0\\0\\0\\7example\\3com\\0\\0\\1\\0\\1'\n\
             for server in servers or ['127.0.0.53']:\n    \
                 it = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); it.settimeout(2)\n    \
                 it.sendto(query, (server, 53)); it.recv(512); got()",
        )
        .untried("it takes a network"),
        python("make a raw socket", "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); got()").by_root(),
        python(
            "send an echo request",
            "it = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1); it.settimeout(5)\n\
             it.sendto(b'\\x08\\0\\xf7\\xff\\0\\0\\0\\0', ('{address}', 0)); it.recv(100); got()",
        )
        .untried("who may send one differs"),
        python("make a socket that sees every packet", "socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3); got()").by_root(),
        python("make a socket to the machine around this one", "socket.socket(40, socket.SOCK_STREAM); got()")
            .untried("not every kernel has them"),
        python("make a socket to the kernel's cryptography", "socket.socket(38, socket.SOCK_SEQPACKET); got()")
            .untried("not every kernel has them"),
        python("make a socket to the kernel that tells of devices", "socket.socket(16, socket.SOCK_RAW, 15); got()"),
        python("make a socket to the kernel that tells of sockets", "socket.socket(16, socket.SOCK_RAW, 4); got()"),
        python("make a socket to the kernel's firewall", "socket.socket(16, socket.SOCK_RAW, 12); got()")
            .untried("not every kernel has them"),
        python("connect to a socket in `/tmp`", "it = socket.socket(socket.AF_UNIX); it.connect('{root}/tmp.sock')").lets_until(9, PATHS),
        python("connect to an agent's socket", "it = socket.socket(socket.AF_UNIX); it.connect('{root}/run/agent.sock')")
            .lets_until(9, PATHS),
        python("connect to a socket in the home folder", "it = socket.socket(socket.AF_UNIX); it.connect('{home}/agent.sock')")
            .lets_until(9, PATHS),
        python(
            "connect to the one in the home folder through `/proc/self/root`",
            "it = socket.socket(socket.AF_UNIX); it.connect('/proc/self/root{home}/agent.sock')",
        )
        .lets_until(9, PATHS),
        python(
            "send to a socket for messages",
            "it = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); it.sendto(b'x', '{root}/run/log.sock')",
        )
        .lets_until(9, PATHS),
        python("connect to a socket without a file", "it = socket.socket(socket.AF_UNIX); it.connect('\\0{mark}')").since(6),
    ]
}
