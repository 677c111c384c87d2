//! Many at once: 10,000 open prompts, 1,000 listeners, 200 answers a second for a minute; none lost, none doubled, in bounded memory.

use std::collections::{HashMap, VecDeque};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::Served;

/// The memory of a process, in MiB: what it takes now, and the most it took.
fn memory(process: u32) -> (u64, u64) {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace()
            .nth(1)
            .unwrap()
            .parse::<u64>()
            .unwrap()
            / 1024
    };
    (line("VmRSS:"), line("VmHWM:"))
}

/// A connection that is kept, since a new one for each request would measure the system.
struct Line(std::io::BufReader<TcpStream>, String);

impl Line {
    fn new(served: &Served, token: &str) -> Line {
        let stream = TcpStream::connect(&served.host).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(300)))
            .unwrap();
        Line(
            std::io::BufReader::new(stream),
            format!("host: {}\r\nauthorization: Bearer {token}\r\n", served.host),
        )
    }

    fn request(&mut self, method: &str, path: &str, body: &str) -> super::Got {
        let more = if body.is_empty() {
            String::new()
        } else {
            format!(
                "content-type: application/json\r\ncontent-length: {}\r\n",
                body.len()
            )
        };
        let text = format!("{method} {path} HTTP/1.1\r\n{}{more}\r\n{body}", self.1);
        self.0.get_mut().write_all(text.as_bytes()).unwrap();
        super::answer(&mut self.0)
    }
}

struct Load {
    prompts: usize,
    listeners: usize,
    answers: usize,
    a_second: u64,
}

fn run(load: &Load) {
    let Load {
        prompts,
        listeners,
        answers,
        a_second,
    } = *load;
    let served = Served::with(crate::desk::Desk::with(&[]), "approval_timeout: 3600\n");
    let empty = memory(served.process()).0;
    // Open them all.
    let start = Instant::now();
    let open: Mutex<VecDeque<(String, String, String)>> = Mutex::default();
    thread::scope(|scope| {
        for part in 0..4 {
            let (served, open) = (&served, &open);
            scope.spawn(move || {
                let mut line = Line::new(served, &served.asking);
                for number in (part..prompts).step_by(4) {
                    let one = submit(served, &mut line, number);
                    open.lock().unwrap().push_back(one);
                }
            });
        }
    });
    let opened = start.elapsed();
    assert_eq!(
        (
            open.lock().unwrap().len(),
            served.get("/v1/prompts?limit=1").is(200)["total"].as_u64()
        ),
        (prompts, Some(prompts as u64))
    );
    let full = memory(served.process()).0;
    // Everybody listens. A few threads read for all of them, as fast as they can.
    let done = Arc::new(AtomicBool::new(false));
    let heard = Arc::new(AtomicU64::new(0));
    let mut streams: Vec<TcpStream> = (0..listeners)
        .map(|_| {
            let mut stream = TcpStream::connect(&served.host).unwrap();
            write!(
                stream,
                "GET /v1/events?kinds=requested,responded HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\r\n",
                served.host, served.answering
            )
            .unwrap();
            stream.set_nonblocking(true).unwrap();
            stream
        })
        .collect();
    while served.get("/v1/me").is(200)["watching"] != listeners {
        thread::sleep(Duration::from_millis(20));
    }
    let mut times: Vec<Duration> = Vec::new();
    let mut one = served.listen("/v1/events?kinds=responded", None);
    one.until("hello");
    thread::scope(|scope| {
        let (reading, count) = (Arc::clone(&done), Arc::clone(&heard));
        scope.spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while !reading.load(Ordering::SeqCst) {
                for stream in &mut streams {
                    while let Ok(size) = stream.read(&mut buffer) {
                        let new = buffer[..size]
                            .windows(7)
                            .filter(|window| window == b"event: ")
                            .count();
                        count.fetch_add(new as u64, Ordering::Relaxed);
                        if size < buffer.len() {
                            break;
                        }
                    }
                }
                thread::sleep(Duration::from_millis(50));
            }
        });
        // Whoever submitted waits for its answer on a line of its own; the time is from before the answer is sent until the wait ends.
        let all_times: Arc<Mutex<Vec<Duration>>> = Arc::default();
        let begin = Instant::now();
        let sent = Arc::new(AtomicU64::new(0));
        let workers: Vec<_> = (0..8)
            .map(|_| {
                let (served, open, all_times, sent) = (&served, &open, Arc::clone(&all_times), Arc::clone(&sent));
                scope.spawn(move || {
                    let (mut waits, mut says) = (Line::new(served, &served.asking), Line::new(served, &served.answering));
                    loop {
                        let number = sent.fetch_add(1, Ordering::SeqCst);
                        if number >= answers as u64 {
                            return;
                        }
                        let (operation, prompt, digest) = open.lock().unwrap().pop_front().unwrap();
                        let due = begin + Duration::from_nanos(1_000_000_000 / a_second * number);
                        thread::sleep(due.saturating_duration_since(Instant::now()));
                        // The wait is there first.
                        let text = format!("GET /v1/operations/{operation}?wait=60 HTTP/1.1\r\n{}\r\n", waits.1);
                        waits.0.get_mut().write_all(text.as_bytes()).unwrap();
                        let body = json!({"digest": digest, "choice": "offer", "offer": 0}).to_string();
                        let start = Instant::now();
                        let text = format!(
                            "POST /v1/prompts/{prompt}/answer HTTP/1.1\r\n{}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                            says.1,
                            body.len()
                        );
                        says.0.get_mut().write_all(text.as_bytes()).unwrap();
                        let released = super::answer(&mut waits.0).is(200);
                        all_times.lock().unwrap().push(start.elapsed());
                        assert_eq!((&released["state"], &released["outcome"]), (&json!("allowed"), &json!("approved")));
                        super::answer(&mut says.0).is(200);
                        // As many stay open as there were.
                        let next = submit(served, &mut waits, prompts + usize::try_from(number).unwrap());
                        open.lock().unwrap().push_back(next);
                    }
                })
            })
            .collect();
        workers
            .into_iter()
            .for_each(|worker| worker.join().unwrap());
        let took = begin.elapsed();
        times.clone_from(&all_times.lock().unwrap());
        // The one that is looked at closely heard each of them once.
        let mut told: HashMap<String, usize> = HashMap::new();
        while told.len() < answers {
            *told
                .entry(
                    one.until("responded").1["prompt"]
                        .as_str()
                        .unwrap()
                        .to_owned(),
                )
                .or_default() += 1;
        }
        assert!(told.values().all(|count| *count == 1));
        thread::sleep(Duration::from_millis(500));
        done.store(true, Ordering::SeqCst);
        let rate = times.len() as f64 / took.as_secs_f64();
        println!(
            "{answers} answers in {:.1} s ({rate:.0}/s)",
            took.as_secs_f64()
        );
    });
    let most = memory(served.process());
    let mut decided: HashMap<String, usize> = HashMap::new();
    for entry in served.desk.entries("decided") {
        *decided
            .entry(entry["call"].as_str().unwrap().to_owned())
            .or_default() += 1;
    }
    assert_eq!(
        (decided.len(), decided.values().max()),
        (answers, Some(&1)),
        "one entry for each answer"
    );
    assert_eq!(
        served.get("/v1/prompts?limit=1").is(200)["total"].as_u64(),
        Some(prompts as u64)
    );
    times.sort_unstable();
    let at = |percent: usize| {
        times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1e3
    };
    println!(
        "| prompts open | listeners | answers | opened in | memory empty, with all open, at most | answer → release p50, p95, p99, max | events heard |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|");
    println!(
        "| {prompts} | {listeners} | {answers} at {a_second}/s | {:.1} s | {empty}, {full}, {} MiB | {:.1}, {:.1}, {:.1}, {:.1} ms | {} |",
        opened.as_secs_f64(),
        most.1,
        at(50),
        at(95),
        at(99),
        at(100),
        heard.load(Ordering::SeqCst)
    );
    assert!(most.1 <= 200, "{} MiB", most.1);
}

/// Submits a call that has to be asked about: the operation, its prompt, and its digest.
fn submit(served: &Served, line: &mut Line, number: usize) -> (String, String, String) {
    let mut body = served.operation(&format!("make target{number}"));
    body["session"] = json!(format!("s{}", number % 100));
    body["id"] = json!(format!("call-{number}"));
    let told = line
        .request("POST", "/v1/operations", &body.to_string())
        .is(202);
    let text = |key: &str| told[key].as_str().unwrap().to_owned();
    (text("id"), text("prompt"), text("digest"))
}

#[test]
fn many_at_once() {
    run(&Load {
        prompts: 300,
        listeners: 40,
        answers: 200,
        a_second: 200,
    });
}

#[test]
#[ignore = "takes minutes, and wants a release build; `./test --long` runs it"]
fn loaded_with_10000_open_prompts_1000_listeners_and_200_answers_a_second() {
    run(&Load {
        prompts: 10_000,
        listeners: 1000,
        answers: 12_000,
        a_second: 200,
    });
}
