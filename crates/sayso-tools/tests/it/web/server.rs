//! A small HTTP server: each path has its answer, as bytes or as something that goes on and on.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A server that lives as long as the test binary.
pub(super) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers each request with what `answer` writes for its path.
    pub(super) fn start(
        answer: impl Fn(&str, &mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (requests.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, seen, answer) = (stream.unwrap(), seen.clone(), answer.clone());
                std::thread::spawn(move || {
                    let head = read_head(&mut stream);
                    let path = head.split(' ').nth(1).unwrap_or("").to_owned();
                    seen.lock().unwrap().push(head);
                    // The client may have hung up.
                    let _ = answer(&path, &mut stream);
                });
            }
        });
        Server { address, requests }
    }

    /// Always the same bytes.
    pub(super) fn saying(bytes: impl Into<Vec<u8>>) -> Server {
        let bytes = bytes.into();
        Server::start(move |_, stream| stream.write_all(&bytes))
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The heads of all requests so far.
    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count == 1) {
        head.extend_from_slice(&byte);
    }
    String::from_utf8_lossy(&head).into_owned()
}

/// A whole answer.
pub(super) fn answer(status: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let headers: String = headers
        .iter()
        .map(|header| format!("{header}\r\n"))
        .collect();
    let mut bytes = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}
