//! An endpoint on the loopback that answers by a list, well or badly, and keeps what it was asked.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// What a request is answered.
#[derive(Clone)]
pub enum Answer {
    /// A status and a body as JSON.
    Json(u16, String),
    /// Events, each written by itself, with this pause behind each.
    Events(Vec<String>, Duration),
    /// The same, but the connection breaks behind the last one.
    Broken(Vec<String>),
    /// A head, and then these bytes.
    Raw(String),
    /// Nothing, for so long.
    Silence(Duration),
    /// 429 with a wish to be asked again after so many seconds.
    Busy(u32),
}

/// What was asked: the head, and the body.
#[derive(Clone, Debug)]
pub struct Asked {
    pub head: String,
    pub body: Value,
}

/// The endpoint.
pub struct Endpoint {
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Endpoint {
    /// Answers one request after the other; the last answer stays.
    pub fn start(answers: Vec<Answer>) -> Endpoint {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let kept = Arc::clone(&asked);
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let Ok(stream) = stream else { return };
                let answer = answers.get(number).or(answers.last()).cloned().unwrap();
                let Some(one) = read(&stream) else { continue };
                kept.lock().unwrap().push(one);
                std::thread::spawn(move || write(stream, &answer));
            }
        });
        Endpoint { url, asked }
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked {
        head,
        body: serde_json::from_slice(&body).ok()?,
    })
}

fn write(mut stream: TcpStream, answer: &Answer) {
    let head = |status: u16, kind: &str, more: &str| {
        format!("HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\n{more}connection: close\r\n\r\n")
    };
    let events = "text/event-stream";
    let _ =
        match answer {
            Answer::Json(status, body) => stream.write_all(
                format!(
                    "{}{body}",
                    head(
                        *status,
                        "application/json",
                        &format!("content-length: {}\r\n", body.len())
                    )
                )
                .as_bytes(),
            ),
            Answer::Busy(seconds) => stream.write_all(
                head(
                    429,
                    "application/json",
                    &format!("retry-after: {seconds}\r\ncontent-length: 0\r\n"),
                )
                .as_bytes(),
            ),
            Answer::Raw(text) => stream.write_all(text.as_bytes()),
            Answer::Silence(time) => {
                std::thread::sleep(*time);
                Ok(())
            }
            Answer::Events(list, pause) => stream
                .write_all(head(200, events, "").as_bytes())
                .and_then(|()| {
                    list.iter().try_for_each(|event| {
                        stream.write_all(event.as_bytes())?;
                        stream.flush()?;
                        std::thread::sleep(*pause);
                        Ok(())
                    })
                }),
            Answer::Broken(list) => stream.write_all(
                format!(
                    "{}{}",
                    head(200, events, "content-length: 99999999\r\n"),
                    list.concat()
                )
                .as_bytes(),
            ),
        };
}

/// Events of chat completions: words in pieces, then calls.
pub fn openai(text: &[&str], calls: &[(&str, &str, &str)]) -> Vec<String> {
    let data = |value: Value| format!("data: {value}\n\n");
    let mut out: Vec<String> = text
        .iter()
        .map(|piece| data(json!({"choices": [{"delta": {"content": piece}}]})))
        .collect();
    for (at, (id, tool, arguments)) in calls.iter().enumerate() {
        let half = arguments
            .char_indices()
            .nth(arguments.chars().count() / 2)
            .map_or(0, |(at, _)| at);
        let call = |function: Value, id: Option<&str>| json!({"choices": [{"delta": {"tool_calls": [{"index": at, "id": id, "function": function}]}}]});
        out.push(data(call(
            json!({"name": tool, "arguments": &arguments[..half]}),
            Some(id),
        )));
        out.push(data(call(json!({"arguments": &arguments[half..]}), None)));
    }
    let reason = if calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    out.push(data(
        json!({"choices": [{"delta": {}, "finish_reason": reason}]}),
    ));
    out.push(data(
        json!({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}}),
    ));
    out.push("data: [DONE]\n\n".to_owned());
    out
}

/// Events of messages: words in pieces, then calls.
pub fn anthropic(text: &[&str], calls: &[(&str, &str, &str)]) -> Vec<String> {
    let event = |value: Value| {
        format!(
            "event: {}\r\ndata: {value}\r\n\r\n",
            value["type"].as_str().unwrap()
        )
    };
    let mut out = vec![event(
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 11, "output_tokens": 1}}}),
    )];
    out.push(event(json!({"type": "ping"})));
    out.push(event(json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})));
    out.extend(
        text.iter().map(|piece| event(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}))),
    );
    out.push(event(json!({"type": "content_block_stop", "index": 0})));
    for (at, (id, tool, arguments)) in calls.iter().enumerate() {
        let at = at + 1;
        out.push(event(
            json!({"type": "content_block_start", "index": at, "content_block": {"type": "tool_use", "id": id, "name": tool, "input": {}}}),
        ));
        let half = arguments
            .char_indices()
            .nth(arguments.chars().count() / 2)
            .map_or(0, |(at, _)| at);
        for piece in [&arguments[..half], &arguments[half..]] {
            out.push(event(
                json!({"type": "content_block_delta", "index": at, "delta": {"type": "input_json_delta", "partial_json": piece}}),
            ));
        }
        out.push(event(json!({"type": "content_block_stop", "index": at})));
    }
    let reason = if calls.is_empty() {
        "end_turn"
    } else {
        "tool_use"
    };
    out.push(event(json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7}})));
    out.push(event(json!({"type": "message_stop"})));
    out
}

/// An answer of chat completions at once.
pub fn openai_whole(text: &str, calls: &[(&str, &str, &str)]) -> Answer {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, tool, arguments)| json!({"id": id, "type": "function", "function": {"name": tool, "arguments": arguments}}))
        .collect();
    let message = json!({"role": "assistant", "content": text, "tool_calls": calls});
    let usage = json!({"prompt_tokens": 11, "completion_tokens": 7, "cost": 0.25});
    Answer::Json(
        200,
        json!({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})
            .to_string(),
    )
}

/// An answer of messages at once.
pub fn anthropic_whole(text: &str, calls: &[(&str, &str, &str)]) -> Answer {
    let mut content = vec![json!({"type": "text", "text": text})];
    content.extend(calls.iter().map(|(id, tool, arguments)| {
        json!({"type": "tool_use", "id": id, "name": tool, "input": serde_json::from_str::<Value>(arguments).unwrap()})
    }));
    let body = json!({"type": "message", "content": content, "stop_reason": "end_turn", "usage": {"input_tokens": 11, "output_tokens": 7}});
    Answer::Json(200, body.to_string())
}
