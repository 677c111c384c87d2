//! What every request over TCP has to be before its sender is looked at: to this server, and not from another page.

/// Why a request is not let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The status of HTTP.
    pub status: u16,
    /// A word for programs.
    pub kind: &'static str,
    /// What is wrong, in words.
    pub detail: String,
}

/// The names of this server, with its port.
#[derive(Clone, Debug)]
pub struct Names(Vec<String>);

impl Names {
    /// Those of a port of this machine.
    pub fn of(port: u16) -> Names {
        Names(
            ["127.0.0.1", "localhost", "[::1]"]
                .iter()
                .map(|name| format!("{name}:{port}"))
                .collect(),
        )
    }

    fn has(&self, host: &str) -> bool {
        self.0.iter().any(|name| name.eq_ignore_ascii_case(host))
    }

    /// Lets a request through, or says why not. A name that leads here by a server of somebody else's is not one of ours (DNS rebinding), and
    /// a page of another origin, also one of another port of this machine, sends nothing. `headers` gives all values of a header, where one
    /// that cannot be read is none.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check<'a>(
        &self,
        headers: impl Fn(&str) -> Vec<Option<&'a str>>,
        is_start: bool,
    ) -> Result<(), Refusal> {
        let refused = |status: u16, kind: &'static str, detail: String| Refusal {
            status,
            kind,
            detail,
        };
        let text = |name: &str| -> Result<Option<&'a str>, Refusal> {
            let unreadable = |detail: String| refused(400, "unreadable", detail);
            let all = headers(name);
            let first = all
                .first()
                .map(|value| value.ok_or_else(|| unreadable(format!("`{name}` cannot be read"))))
                .transpose()?;
            if all.len() > 1 {
                return Err(unreadable(format!("`{name}` stands there twice")));
            }
            Ok(first)
        };
        let host = text("host")?.unwrap_or_default();
        if !self.has(host) {
            return Err(refused(
                421,
                "host",
                format!("`{host}` is none of the names of this server"),
            ));
        }
        if let Some(origin) = text("origin")?
            && !origin
                .strip_prefix("http://")
                .is_some_and(|origin| origin.eq_ignore_ascii_case(host))
        {
            return Err(refused(
                403,
                "origin",
                format!("it comes from another page, `{origin}`"),
            ));
        }
        // The first page may be opened by a link from anywhere; there is nothing in it.
        match text("sec-fetch-site")? {
            None | Some("same-origin" | "none") => Ok(()),
            Some(_) if is_start => Ok(()),
            Some(site) => Err(refused(
                403,
                "origin",
                format!("it comes from another page (`{site}`)"),
            )),
        }
    }
}
