//! Attempts to read what is hidden: secrets in the workspace, in the home folder, of sayso, and of other processes.

use super::attempt::{Around, Attempt, bash, python};

const WORKSPACE: &str = "Landlock only ever gives: below a folder that is writable, nothing can be hidden or kept read-only.";
const SEEN: &str = "Landlock gives no processes of its own: others and their command lines can be seen in `/proc`.";

pub fn attempts() -> Vec<Attempt> {
    vec![
        bash("read `.env` in the workspace", "cat .env").lets(WORKSPACE),
        bash("read `.env` through a link made inside", "ln -s .env link; cat link").lets(WORKSPACE),
        bash("read `.env` through a hard link made inside", "ln .env link; cat link").lets(WORKSPACE),
        bash("read `.env` under another name", "mv .env env; cat env").lets(WORKSPACE),
        bash("read a `.env` in a folder that was moved", "mv conf away; cat away/.env").lets(WORKSPACE),
        bash("read `.env` through `/proc/self/root`", "cat /proc/self/root{workspace}/.env").lets(WORKSPACE),
        bash("read `.env` through `/proc/self/cwd`", "cat /proc/self/cwd/.env").lets(WORKSPACE),
        python("map `.env` into memory", "file = open('.env'); print(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)[:])").lets(WORKSPACE),
        bash("read `.env` as part of an archive", "tar c conf | tar xO").lets(WORKSPACE),
        python(
            "open a file by its number, past its name",
            "class Handle(ctypes.Structure): _fields_ = [('bytes', ctypes.c_uint), ('kind', ctypes.c_int), ('data', ctypes.c_ubyte * 128)]\n\
             handle, mount = Handle(128, 0, (ctypes.c_ubyte * 128)()), ctypes.c_int()\n\
             done(libc.name_to_handle_at(-100, b'.env', ctypes.byref(handle), ctypes.byref(mount), 0))\n\
             folder = os.open('.', os.O_RDONLY)\n\
             print(os.read(done(libc.open_by_handle_at(folder, ctypes.byref(handle), os.O_RDONLY)), 100))",
        )
        .by_root(),
        bash("read a key in `~/.ssh`", "cat {home}/.ssh/id_rsa"),
        bash("read the key through a link made inside", "ln -s {home}/.ssh/id_rsa link; cat link"),
        bash("read the key through a link that was there", "cat leads-to-key"),
        bash("read the key through a hard link made inside", "ln {home}/.ssh/id_rsa link; cat link"),
        bash("read the key through `/proc/self/root`", "cat /proc/self/root{home}/.ssh/id_rsa"),
        bash("read the key through the root of somebody's process", "cat /proc/{pid}/root{home}/.ssh/id_rsa"),
        bash("read what was typed before", "cat {home}/.bash_history"),
        bash("read sayso's own data", "cat {home}/.local/state/sayso/key"),
        bash("read sayso's own settings", "cat {home}/.config/sayso/policy.yaml"),
        bash("look through the whole home folder", "cat /dev/null $(find {home}/.[a-z]* -type f)"),
        bash("read `/etc/shadow`", "[ -n \"$(cat /etc/shadow)\" ] && got").by_root(),
        bash("read from a file that sayso's parent had open", "cat <&9").around(Around::Bash("exec 9<{home}/.ssh/id_rsa")),
        bash("see the environment that sayso was started with", "env; cat /proc/[0-9]*/environ"),
        bash("see the environment of somebody's process", "cat /proc/{pid}/environ"),
        bash("see the command line of somebody's process", "cat /proc/{pid}/cmdline").lets(SEEN),
        bash("read a file that somebody's process has open", "cat /proc/{pid}/fd/0"),
        python(
            "take an open file out of somebody's process",
            "process = call(434, {pid}, 0); file = call(438, process, 0, 0); os.lseek(file, 0, 0); print(os.read(file, 100))",
        ),
        python(
            "read the memory of somebody's process as a file",
            "stack = [line for line in open('/proc/{pid}/maps') if '[stack]' in line][0].split()[0].split('-')\n\
             low, high = (int(word, 16) for word in stack)\n\
             memory = open('/proc/{pid}/mem', 'rb', 0); memory.seek(low)\n\
             if b'hush-' in memory.read(high - low): got()",
        ),
        python(
            "read the memory of somebody's process by a call",
            "class Part(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('length', ctypes.c_size_t)]\n\
             buffer = ctypes.create_string_buffer(8); here = Part(ctypes.addressof(buffer), 8)\n\
             try: place = int([line for line in open('/proc/{pid}/maps') if '[stack]' in line][0].split('-')[1].split()[0], 16) - 8\n\
             except OSError: place = 0x400000\n\
             there = Part(place, 8)\n\
             call('process_vm_readv', {pid}, ctypes.byref(here), 1, ctypes.byref(there), 1, 0); got()",
        ),
        python("trace somebody's process", "call('ptrace', 0x4206, {pid}, 0, 0); got()"),
        python(
            "read a key of the session that sayso was started in",
            "buffer = ctypes.create_string_buffer(100)\n\
             key = call('keyctl', 10, -3, ctypes.c_char_p(b'user'), ctypes.c_char_p(b'{mark}'), 0)\n\
             call('keyctl', 11, key, buffer, 100)\n\
             if buffer.value == b'hush-hush': got()",
        )
        .around(Around::Python(
            "call('keyctl', 1, 0)\n\
             call('add_key', ctypes.c_char_p(b'user'), ctypes.c_char_p(b'{mark}'), ctypes.c_char_p(b'hush-hush'), 9, -3)\n\
             os.execvp(sys.argv[1], sys.argv[1:])",
        )),
        python("read the messages of the kernel", "buffer = ctypes.create_string_buffer(100); call('syslog', 3, buffer, 100); got()").by_root(),
    ]
}
