//! Attempts on processes outside, and to stay behind after the command has ended.

use super::attempt::{Attempt, bash, python};

const PRIORITIES: &str =
    "Landlock has no word about priorities and limits of a person's other processes.";
const BEHIND: &str =
    "Landlock gives no processes of its own, so nothing ends what a command leaves running.";
const MESSAGES: &str = "Landlock gives no shared memory of its own: whoever owns it can reach it.";

pub fn attempts() -> Vec<Attempt> {
    vec![
        bash("end somebody's process", "kill -KILL {pid}").since(6),
        python("end somebody's process by its handle", "process = call(434, {pid}, 0); signal.pidfd_send_signal(process, 9)").since(6),
        python("end somebody's group of processes", "os.killpg({pid}, 9)").since(6),
        python("signal a thread of somebody's process", "call('tgkill', {pid}, {pid}, 28)").since(6),
        python(
            "queue a signal for somebody's process",
            "given = ctypes.create_string_buffer(struct.pack('iii', 28, 0, -1), 128); call('rt_sigqueueinfo', {pid}, 28, given)",
        )
        .since(6),
        // The signal means a new size of the window, which harms nobody who gets it.
        python("signal everybody", "os.kill(-1, 28) # {pid}").since(6).untried("it would reach everybody"),
        bash("stop somebody's process", "kill -STOP {pid}").since(6),
        python("slow somebody's process down", "os.setpriority(os.PRIO_PROCESS, {pid}, 19); got()").lets_person(PRIORITIES),
        python("limit somebody's process", "resource.prlimit({pid}, resource.RLIMIT_CORE, (0, 0)); got()").lets(PRIORITIES),
        python("bind somebody's process to one core", "os.sched_setaffinity({pid}, os.sched_getaffinity(0)); got()")
            .lets_person(PRIORITIES),
        python(
            "leave a daemon behind",
            "here, there = os.pipe()\n\
             if os.fork() == 0:\n    \
                 os.setsid()\n    \
                 if os.fork() == 0:\n        \
                     null = os.open('/dev/null', os.O_RDWR)\n        \
                     for number in (0, 1, 2): os.dup2(null, number)\n        \
                     signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n        \
                     os.execvp('python3', ['python3', '-c', 'import time; time.sleep(300)', 'left-{mark}'])\n    \
                 os._exit(0)\n\
             os.wait(); os.close(there); os.read(here, 1)",
        )
        .lets(BEHIND),
        bash("leave a job behind", "nohup bash -c 'exec -a left-{mark} sleep 300' < /dev/null > /dev/null 2>&1 & disown; sleep 0.1")
            .lets(BEHIND),
        bash(
            "leave a job with own session behind",
            "setsid -f bash -c 'exec -a left-{mark} sleep 300' < /dev/null > /dev/null 2>&1; sleep 0.1",
        )
        .lets(BEHIND),
        python("leave shared memory behind", "done(libc.shmget({key}, 4096, 0o1600))").lets(MESSAGES),
    ]
}
