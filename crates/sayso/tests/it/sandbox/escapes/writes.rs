//! Attempts to change what is outside of the workspace.

use super::attempt::{Attempt, bash, python};
use super::ground::Who;

const METADATA: &str = "Landlock has no word about modes, owners, times and attributes of files: whoever owns a file can change them.";

/// Why the first process is not asked without a sandbox.
pub const FIRST: &str = "who may look at the first process differs";

pub fn attempts() -> Vec<Attempt> {
    vec![
        bash("make a file outside", "echo x > {out}/new.txt"),
        bash("make a folder outside", "mkdir {out}/new"),
        bash("append to a file outside", "echo x >> {out}/victim.txt"),
        python("empty a file outside by its path", "os.truncate('{out}/victim.txt', 0)").since(3),
        bash("remove a file outside", "rm -f {out}/victim.txt"),
        bash("write to a file in the home folder", "echo x >> {home}/.bashrc"),
        bash("write outside by `..`", "echo x > ../other/victim.txt"),
        bash("write outside through a link made inside", "ln -s {out} link; echo x > link/victim.txt"),
        bash("write outside through a link that was there", "echo x > leads-out/victim.txt"),
        bash("write outside through `/proc/self/root`", "echo x > /proc/self/root{out}/victim.txt"),
        bash("write outside through `/proc/1/root`", "echo x > /proc/1/root{out}/victim.txt").untried(FIRST),
        bash("write outside through `/proc/self/cwd/..`", "echo x > /proc/self/cwd/../other/victim.txt"),
        bash("write through the root of somebody's process", "echo x > /proc/{pid}/root{out}/victim.txt"),
        bash("write through the folder that somebody's process is in", "echo x > /proc/{pid}/cwd/victim.txt"),
        bash("write through a file that somebody's process has open", "echo x > /proc/{pid}/fd/0"),
        bash("link a file outside into the workspace and write to it", "ln {out}/victim.txt inside && echo x >> inside"),
        bash("move a file over one outside", "echo x > new; mv -f new {out}/victim.txt"),
        bash("move a file outside into the workspace", "mv {out}/victim.txt ."),
        python(
            "exchange a file with one outside",
            "open('new', 'w').write('x'); done(libc.renameat2(-100, b'new', -100, b'{out}/victim.txt', 2))",
        ),
        python(
            "make a file without a name and link it outside",
            "file = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o600)\ndone(libc.linkat(-100, b'/proc/self/fd/%d' % file, -100, b'{out}/new', 0x400))",
        ),
        python("make a file without a name outside", "file = os.open('{out}', os.O_TMPFILE | os.O_RDWR, 0o600); got()"),
        python(
            "write outside from a program that exists in memory only",
            "file = os.memfd_create('x', 0)\nos.write(file, b'#!/bin/sh\\necho x > {out}/victim.txt\\n')\n\
             os.execve(file, ['x'], dict(os.environ))",
        ),
        bash("change the mode of a file outside", "chmod 0600 {out}/victim.txt").lets(METADATA),
        python("change the owner of a file outside", "os.chown('{out}/victim.txt', os.getuid(), os.getgid())").lets(METADATA),
        python("set the times of a file outside", "os.utime('{out}/victim.txt', (1, 1))").lets(METADATA),
        python("set an attribute of a file outside", "os.setxattr('{out}/victim.txt', 'user.x', b'x')").lets(METADATA),
        bash("leave a file in `/tmp`", "echo x > /tmp/{mark}"),
        bash("leave a file in `/var/tmp`", "echo x > /var/tmp/{mark}"),
        bash("leave a file in `/dev/shm`", "echo x > /dev/shm/{mark}"),
        python("write to somebody's terminal", "file = os.open('{terminal}', os.O_RDWR | os.O_NOCTTY); os.write(file, b'x'); got()"),
        bash("write to the system's folders", "echo x > /etc/{mark} && { rm -f /etc/{mark}; got; }").by_root(),
        bash("write to `/proc/sys`", "read -r now < /proc/sys/kernel/core_pattern; echo \"$now\" > /proc/sys/kernel/core_pattern && got")
            .by_root(),
        python("open something of `/sys` for writing", "os.open('/sys/kernel/mm/transparent_hugepage/enabled', os.O_WRONLY); got()")
            .by_root(),
        python("open `/proc/sysrq-trigger`", "os.open('/proc/sysrq-trigger', os.O_WRONLY); got()").untried("not every kernel has it"),
        python(
            "open anything of the machine in `/proc` for writing",
            "for folder, folders, files in os.walk('/proc'):\n    \
                 if folder == '/proc': folders[:] = [name for name in folders if not name.isdigit()]\n    \
                 for name in files:\n        \
                     try: os.close(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_NONBLOCK)); got(); print(folder, name)\n        \
                     except OSError: pass",
        )
        .by_root(),
        bash("have somebody's process ended first when memory is short", "echo 500 > /proc/{pid}/oom_score_adj"),
        bash("make a device in the workspace", "mknod device c 1 5 && got").by_root(),
        bash(
            "make a device of the disk and read it",
            "mknod disk b $(lsblk -dnro MAJ:MIN | head -1 | tr : ' ') && head -c 1 disk > /dev/null && got",
        )
        .untried("which disk there is differs"),
        python(
            "open a disk, or the memory",
            "import glob\n\
             names = ['/dev/' + line.split()[3] for line in open('/proc/partitions').read().splitlines()[2:]]\n\
             for name in names + ['/dev/mem', '/dev/kmem', '/dev/port', '/dev/kmsg']:\n    \
                 try: os.open(name, os.O_RDONLY); got()\n    \
                 except OSError: pass",
        )
        .by_root(),
        bash("mount over the home folder from inside, as root", "mount -t tmpfs none {home} && got")
            .only(Who::Root)
            .untried("it would really mount"),
    ]
}
