//! The lines of one program, taken apart when they are needed.

/// A program's own line, and the lines of its subcommands.
#[derive(Clone, Copy)]
pub(in crate::programs) struct Row {
    own: Form,
    /// The text behind its own line, with the lines of its subcommands at the start.
    rest: &'static str,
}

/// One line: a program or some of its subcommands.
#[derive(Clone, Copy)]
pub(in crate::programs) struct Form {
    pub(in crate::programs) names: &'static str,
    words: &'static str,
    pub(in crate::programs) options: &'static str,
    pub(super) note: &'static str,
}

/// What a form does, as far as it must be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// Touches only the paths that are named.
    Looks,
    /// The same, and asks the place of the program.
    Asks,
    /// Changes something at the place of the program, in the person's name.
    AsYou,
    /// Changes something that is no path among its words.
    Acts,
    /// Shows a secret.
    Secret,
    /// Runs code.
    Runs,
}

/// What an operand is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Read,
    ReadBelow,
    Search,
    Write,
    WriteBelow,
    Delete,
    Host,
    Data,
    Word,
}

/// The second field of a line.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) does: Does,
    /// Each operand, and whether it stands for any number.
    pub(super) roles: Vec<(Role, bool)>,
    /// Without operands it is the current folder.
    pub(super) here: bool,
    /// It only looks with one of these options, in their normal spelling.
    pub(super) needs: Vec<&'static str>,
    /// It only looks with so many operands, or more.
    pub(super) least: usize,
    /// It only looks where no setting of a project says otherwise.
    pub(super) bound: Option<Bound>,
}

/// From where settings are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// From the folder it runs in.
    Here,
    /// From the folder of each operand.
    BesideOperands,
    /// Each operand is a database, which opening may repair.
    Databases,
}

impl Row {
    /// The lines at the start of a text.
    pub(super) fn read(text: &'static str) -> Option<Row> {
        let first = text.find('\n').map_or(text.len(), |at| at + 1);
        let (head, rest) = (text.get(..first)?, text.get(first..)?);
        // The program's own options may go on below.
        let more = rest
            .split_inclusive('\n')
            .take_while(|line| line.starts_with("    "))
            .map(str::len)
            .sum::<usize>();
        let own = Form::read(text.get(..first + more).unwrap_or(head))?;
        Some(Row {
            own,
            rest: rest.get(more..)?,
        })
    }

    pub(in crate::programs) fn own(&self) -> Form {
        self.own
    }

    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.own.names.split_ascii_whitespace()
    }

    /// The lines of the subcommands.
    pub(in crate::programs) fn forms(&self) -> impl Iterator<Item = Form> {
        let mut rest = self.rest;
        std::iter::from_fn(move || {
            let first = rest
                .split_inclusive('\n')
                .next()
                .filter(|line| line.starts_with("  "))
                .map(str::len)?;
            let more = rest
                .get(first..)?
                .split_inclusive('\n')
                .take_while(|line| line.starts_with("    "))
                .map(str::len)
                .sum::<usize>();
            let (form, after) = rest.split_at_checked(first + more)?;
            rest = after;
            Form::read(form)
        })
    }

    /// Whether there are subcommands.
    pub(super) fn has_forms(&self) -> bool {
        self.rest.starts_with("  ")
    }

    /// The place that the program asks.
    pub(super) fn place(&self) -> Option<String> {
        self.own
            .words
            .split_ascii_whitespace()
            .find_map(|word| word.strip_prefix('@'))
            .map(|place| place.replace('_', " "))
    }

    /// Whether its options, its subcommands or the paths among its operands are told, and not only what it is for.
    pub(in crate::programs) fn is_modelled(&self) -> bool {
        self.has_forms()
            || !self.own.options.is_empty()
            || self.own.told().is_ok_and(|told| told.does == Does::Looks)
    }

    /// Whether only its purpose is told, and it is not known to run its words.
    pub(in crate::programs) fn is_only_named(&self) -> bool {
        !self.is_modelled() && !self.runs_words()
    }

    /// Whether some form of it may run its words.
    pub(in crate::programs) fn runs_words(&self) -> bool {
        self.own
            .words
            .split_ascii_whitespace()
            .any(|word| matches!(word, "!" | "code"))
    }
}

/// A word of a line that means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnknownWord(pub &'static str);

impl Form {
    fn read(line: &'static str) -> Option<Form> {
        let mut fields = line.splitn(4, ';').map(str::trim);
        let mut next = || fields.next().unwrap_or("");
        Some(Form {
            names: next(),
            words: next(),
            options: next(),
            note: next(),
        })
    }

    /// What it does and with which operands, or the word that says neither.
    pub(super) fn told(&self) -> Result<Told, UnknownWord> {
        let mut told = Told {
            does: Does::Looks,
            roles: Vec::new(),
            here: false,
            needs: Vec::new(),
            least: 0,
            bound: None,
        };
        for word in self.words.split_ascii_whitespace() {
            match word {
                "look" => told.does = Does::Looks,
                "net" => told.does = Does::Asks,
                "as" => told.does = Does::AsYou,
                "act" => told.does = Does::Acts,
                "secret" => told.does = Does::Secret,
                "code" => told.does = Does::Runs,
                "!" | "." => {}
                "^" => told.bound = Some(Bound::Here),
                "^^" => told.bound = Some(Bound::BesideOperands),
                "&" => told.bound = Some(Bound::Databases),
                _ if word.starts_with('@') => {}
                _ if word.starts_with('?') => told.needs.push(word.trim_start_matches('?')),
                _ if word.ends_with('+') => {
                    told.least = word
                        .trim_end_matches('+')
                        .parse()
                        .map_err(|_| UnknownWord(word))?
                }
                _ => {
                    let many = word.trim_end_matches('.');
                    told.here |= many.len() < word.len();
                    let one = many.trim_end_matches('*');
                    let role = match one {
                        "r" => Role::Read,
                        "R" => Role::ReadBelow,
                        "S" => Role::Search,
                        "w" => Role::Write,
                        "W" => Role::WriteBelow,
                        "x" => Role::Delete,
                        "h" => Role::Host,
                        "d" => Role::Data,
                        "p" => Role::Word,
                        _ => return Err(UnknownWord(word)),
                    };
                    told.roles.push((role, one.len() < many.len()));
                }
            }
        }
        Ok(told)
    }

    /// How many of these words are the subcommand that this line speaks of.
    pub(super) fn speaks_of(&self, words: &[&str]) -> Option<usize> {
        self.names.split_ascii_whitespace().find_map(|name| {
            let mut given = words.iter();
            let mut count = 0;
            for part in name.split('/') {
                let fits = given.next().is_some_and(|word| fits(part, word));
                if !fits {
                    return None;
                }
                count += 1;
            }
            Some(count)
        })
    }
}

/// A word, any word (`*`), or all that start so (`describe-*`).
fn fits(part: &str, word: &str) -> bool {
    if word.starts_with('-') || !crate::parse::placeholder::is_literal(word) {
        return false;
    }
    match part.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => part == word,
    }
}

impl Told {
    /// The role of each operand, if there are not more or other ones than the line has.
    pub(super) fn of(&self, count: usize) -> Option<Vec<Role>> {
        let star = self.roles.iter().position(|(_, many)| *many);
        let fixed = self.roles.len() - usize::from(star.is_some());
        let Some(star) = star else {
            return (count <= fixed).then(|| {
                self.roles
                    .iter()
                    .take(count)
                    .map(|(role, _)| *role)
                    .collect()
            });
        };
        // What stands behind the star counts first, then what stands before it.
        let behind = self.roles.get(star + 1..).unwrap_or(&[]);
        let many = count.saturating_sub(fixed);
        let before = count.saturating_sub(behind.len()).min(star);
        let mut roles: Vec<Role> = self
            .roles
            .iter()
            .take(before)
            .map(|(role, _)| *role)
            .collect();
        roles.extend(std::iter::repeat_n(self.roles.get(star)?.0, many));
        roles.extend(
            behind
                .iter()
                .take(count - roles.len())
                .map(|(role, _)| *role),
        );
        Some(roles)
    }
}
