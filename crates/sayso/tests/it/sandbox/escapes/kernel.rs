//! Attempts to get more rights: mounts, namespaces, wide interfaces of the kernel, programs that lend rights, terminals, and limits.

use super::attempt::{Around, Attempt, bash, python};
use super::ground::Who;
use super::writes::FIRST;

const RIGHTS: &str = "Landlock takes away most of root's rights, but leaves those over files, which root owns anyway.";
const COUNTED: &str = "The kernel does not count root's processes.";
const MOUNTS: &str = "it would really mount";

/// A terminal of its own around the sandbox; afterwards, what can be read from it was typed into it.
const TERMINAL: &str = "\
import termios, tty, select
master, slave = os.openpty(); tty.setraw(slave)
child = os.fork()
if child == 0:
    os.setsid(); fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for number in (0, 1, 2): os.dup2(slave, number)
    os.execvp(sys.argv[1], sys.argv[1:])
shown = b''
while os.waitpid(child, os.WNOHANG) == (0, 0):
    if select.select([master], [], [], 0.05)[0]: shown += os.read(master, 4096)
while select.select([master], [], [], 0.2)[0]: shown += os.read(master, 4096)
os.write(1, shown)
if select.select([slave], [], [], 0.2)[0]: got()
";

pub fn attempts() -> Vec<Attempt> {
    let mut attempts = mounts();
    attempts.extend(interfaces());
    attempts.extend(rights());
    attempts
}

fn mounts() -> Vec<Attempt> {
    vec![
        python("mount a new file system", "os.mkdir('d'); done(libc.mount(b'none', b'd', b'tmpfs', 0, None)); got()").by_root(),
        python(
            "mount a folder outside into the workspace",
            "os.mkdir('d'); done(libc.mount(b'{home}/.ssh', b'd', None, 4096, None)); print(open('d/id_rsa').read())",
        )
        .by_root(),
        python("mount a new file system by the newer calls", "call(430, ctypes.c_char_p(b'tmpfs'), 0); got()").by_root(),
        python("take a tree of files by the newer calls", "call(428, -100, ctypes.c_char_p(b'/'), 1); got()").by_root(),
        python("unmount what hides a file", "done(libc.umount2(b'.env', 2)); got()").untried("nothing is mounted there"),
        python("make what is read-only writable", "done(libc.mount(None, b'/usr', None, 32 | 4096, None)); got()").untried(MOUNTS),
        python("make another folder the root", "os.chroot('.'); got()").by_root(),
        python("exchange the root", "os.mkdir('d'); call('pivot_root', ctypes.c_char_p(b'.'), ctypes.c_char_p(b'd')); got()")
            .untried(MOUNTS),
        bash("have own users, and rights among them", "unshare --user --map-root-user true && got"),
        bash("have own users and mounts, and mount", "unshare --user --map-root-user --mount sh -c 'mount -t tmpfs none sub' && got"),
        python("start a process with own users", "done(libc.unshare(0x10000000)); got()"),
        python(
            "start a process with own users by `clone`",
            "child = call('clone', 0x10000000 | 17, 0, 0, 0, 0)\nif child == 0: os._exit(0)\nos.waitpid(child, 0); got()",
        ),
        python(
            "start a process with own users by `clone3`",
            "given = struct.pack('11Q', 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0)\n\
             child = call(435, ctypes.c_char_p(given), 88)\nif child == 0: os._exit(0)\nos.waitpid(child, 0); got()",
        ),
        python("join the network of somebody's process", "done(libc.setns(os.open('/proc/{pid}/ns/net', os.O_RDONLY), 0)); got()")
            .by_root(),
        python(
            "join the mounts of somebody's process by its handle",
            "process = call(434, {pid}, 0); done(libc.setns(process, 0x20000)); got()",
        )
        .by_root(),
        python("join the mounts of the first process", "done(libc.setns(os.open('/proc/1/ns/mnt', os.O_RDONLY), 0)); got()").untried(FIRST),
    ]
}

fn interfaces() -> Vec<Attempt> {
    let numbers = "calls of other numbers are rarely switched on";
    vec![
        python("set a ring for calls up", "call(425, 4, ctypes.create_string_buffer(120)); got()").untried("it is often switched off"),
        python(
            "load a program into the kernel",
            "call('bpf', 0, ctypes.create_string_buffer(struct.pack('IIIII', 2, 4, 8, 1, 0), 128), 128); got()",
        )
        .by_root(),
        python(
            "measure the whole machine",
            "call('perf_event_open', ctypes.create_string_buffer(struct.pack('IIQ', 1, 128, 0), 128), -1, 0, -1, 0); got()",
        )
        .by_root(),
        python("handle faults of memory", "call('userfaultfd', 0); got()").by_root(),
        python(
            "load a module",
            "try: call('init_module', 0, 0, ctypes.c_char_p(b''))\nexcept OSError as error:\n    if error.errno != 1: got()",
        )
        .by_root(),
        python(
            "restart the machine (with a wrong number)",
            "try: call('reboot', 0, 0, 0, 0)\nexcept OSError as error:\n    if error.errno != 1: got()",
        )
        .by_root(),
        python(
            "make a call by its number for short pointers",
            "call(0x40000000 | 165, ctypes.c_char_p(b'none'), ctypes.c_char_p(b'sub'), ctypes.c_char_p(b'tmpfs'), 0, 0); got()",
        )
        .untried(numbers),
        python("rename the machine", "done(libc.sethostname(b'x', 1)); got()").untried("the machine would have another name"),
        python("type into the terminal", "import termios\nfor sign in b'x\\n': fcntl.ioctl(0, termios.TIOCSTI, bytes([sign]))")
            .around(Around::Python(TERMINAL))
            .by_root(),
        python(
            "paste into the console",
            "try: fcntl.ioctl(0, 0x541C, b'\\x03')\nexcept OSError as error:\n    if error.errno == 25: got()",
        ),
    ]
}

fn rights() -> Vec<Attempt> {
    vec![
        bash("have any right of root", "grep -q 'CapEff:.*[1-9a-f]' /proc/self/status && got").by_root().lets_root(RIGHTS),
        bash("be able to get any right of root", "grep -q 'CapBnd:.*[1-9a-f]' /proc/self/status && ! grep -q 'NoNewPrivs:.*1' /proc/self/status && got"),
        bash("run a program that lends root's rights", "[ \"$(./root-id -u)\" = 0 ] && got").only(Who::Person),
        python("become root", "os.setuid(0); got()").only(Who::Person).untried("nobody can"),
        bash("become root by `su`", "su root -c 'echo GOT THROUGH' < /dev/null").only(Who::Person).untried("it takes a password"),
        python("become another person", "os.setgroups([]); os.setgid(1); os.setuid(1); got()").only(Who::Root).lets_root(RIGHTS),
        python(
            "have more processes than the limit",
            // The limit comes on top of what runs on the machine, which is a lot where other tests run at the same time.
            "children = []\n\
             there = int(open('/proc/loadavg').read().split()[3].split('/')[1])\n\
             try:\n    \
                 for _ in range(300 + there):\n        \
                     child = os.fork()\n        \
                     if child == 0: time.sleep(30); os._exit(0)\n        \
                     children.append(child)\n    \
                 got()\n\
             except OSError: pass\n\
             for child in children: os.kill(child, 9); os.waitpid(child, 0)",
        )
        .all_let_root(COUNTED),
        python("take more memory than the limit", "try: it = bytearray(512 << 20); got()\nexcept MemoryError: pass"),
        python("raise the limits", "resource.setrlimit(resource.RLIMIT_CORE, (1, 1)); resource.setrlimit(resource.RLIMIT_CORE, (9, 9)); got()").untried("it takes a right that root may lack"),
        bash(
            "leave an image of the memory behind",
            "cd sub; ulimit -S -c unlimited 2>/dev/null; ulimit -S -c \"$(ulimit -H -c)\"; [ \"$(ulimit -c)\" != 0 ] && got; sh -c 'kill -SEGV $$'",
        )
        .untried("where the image goes differs"),
    ]
}
