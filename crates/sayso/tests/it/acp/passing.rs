//! Everything that is not judged passes byte for byte, both ways, and in order.

use serde_json::json;

use super::{Editor, desk};

#[test]
fn lines_of_the_agent_come_as_they_are() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    let lines = [
        "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s1\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"n\":12345678901234567890123,\"f\":1.500,\"u\":\"\\u00e9\u{2028}\"}}}\n",
        " {\"jsonrpc\": \"2.0\" , \"method\":\"_zed.dev/x\"}\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"session/unheard_of\",\"params\":[1,2]}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":null,\"extra\":{\"a\":[]}}\n",
        "a line of a log, which is no message\n",
        "\n",
        "[info] starting\r\n",
    ];
    for line in lines {
        editor.agent_says(line.as_bytes());
        assert_eq!(editor.gated.line(), line);
    }
    let long = format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":\"{}\"}}\n",
        "x".repeat(3 << 20)
    );
    editor.agent_says(long.as_bytes());
    assert_eq!(editor.gated.line(), long);
    assert!(desk.entries("acp_refused").is_empty());
}

#[test]
fn lines_of_the_editor_come_as_they_are() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    let before = desk.text("got.log").unwrap();
    let lines: [&[u8]; 6] = [
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/prompt\",\"params\":{\"a\":1,\"a\":2}}\r\n",
        b"{\"jsonrpc\" : \"2.0\",\"id\":1.0,\"method\":\"x\"}\n",
        b"no message \xff\xfe\n",
        b"[{\"jsonrpc\":\"2.0\"}]\n",
        b"{\"id\":5,\"id\":6,\"result\":1}\n",
        b"\n",
    ];
    lines.iter().for_each(|line| editor.gated.raw(line));
    editor.gated.close();
    assert_eq!(editor.gated.ended().code(), Some(7));
    let got = std::fs::read(desk.scene.workspace.join("got.log")).unwrap();
    assert_eq!(got[before.len()..], lines.concat());
}

#[test]
fn what_may_pass_keeps_its_order() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    let path = desk
        .scene
        .workspace
        .join("src/a.rs")
        .to_str()
        .unwrap()
        .to_owned();
    let mut all = String::new();
    for number in 0..50 {
        let write = editor.within(json!({"path": path, "content": number.to_string()}));
        all.push_str(&format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": number, "method": "fs/write_text_file", "params": write})
        ));
        all.push_str(&format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "method": "session/update", "params": {"number": number}})
        ));
    }
    editor.agent_says(all.as_bytes());
    let came: String = (0..100).map(|_| editor.gated.line()).collect();
    assert_eq!(came, all);
    // Answers in another order find who waits for them.
    for number in (0..50).rev() {
        editor.answers(&json!(number), json!({"n": number}));
        let got = editor.got();
        assert_eq!(
            (&got["id"], &got["result"]["n"]),
            (&json!(number), &json!(number))
        );
    }
    // The last answer passes before its end is written down.
    let end = std::time::Instant::now() + std::time::Duration::from_secs(300);
    while desk.entries("finished").len() < 50 && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(desk.entries("finished").len(), 50);
}

#[test]
fn an_agent_that_reads_nothing_does_not_hold_up_what_it_says() {
    let desk = desk();
    let mut program = desk.program();
    // It asks for far more than a pipe holds answers to, and only then reads.
    let script = "import json,sys\n\
        for l in sys.stdin:\n    m=json.loads(l)\n    if m.get('method')=='session/new': break\n\
        print(json.dumps({'jsonrpc':'2.0','id':m['id'],'result':{'sessionId':'s'}}))\n\
        for i in range(3000): print(json.dumps({'jsonrpc':'2.0','id':i,'method':'fs/write_text_file','params':{'sessionId':'s','path':'relative','content':'x'}}))\n\
        print('{\"jsonrpc\":\"2.0\",\"method\":\"_done\"}', flush=True)\n\
        n=0\n\
        for l in sys.stdin:\n    n+=1\n    if n==3000: print('{\"jsonrpc\":\"2.0\",\"method\":\"_all\"}', flush=True)\n";
    program.args(["acp", "--", "python3", "-c", script]);
    let mut gated = crate::mcp::Gated::spawn(&mut program);
    gated.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": desk.scene.folder()}}));
    gated.next();
    assert_eq!(gated.next()["method"], "_done");
    assert_eq!(gated.next()["method"], "_all");
}
