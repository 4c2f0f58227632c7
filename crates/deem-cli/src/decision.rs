//! `deem decision ...`: one function a command.

mod edits;
mod watch;

use deem_core::{
    draft::Kind,
    id::{DecisionId, Digest, Generation},
};
use deem_sync::wire::request::{
    AppendBody, Cancel, Open, OpenCriterion, OpenOption, Plain, Response, Save, Why,
};
use serde_json::Value;

use crate::{
    args::{Append, Connection, Decision, Open as OpenArguments},
    client::{Client, fresh_op, shape},
    confirm,
    failure::Failure,
    resolve::Meant,
    shown::{self, Displayed},
    terminal::{columns, print, table, visible},
    view::{DecisionView, answer_text},
};

/// What `reopen` says: marks and words of the earlier draft are not taken over (`D5.1`).
const REOPENED: &str =
    "reopened: a new, empty draft starts; the earlier answer stays in its history";

/// A relay, and how to print what it says.
struct Session {
    client: Client,
    json: bool,
    verbose: bool,
}

/// Does one command.
pub fn run(connection: &Connection, command: Decision) -> Result<(), Failure> {
    let session = Session {
        client: Client::new(connection)?,
        json: connection.json,
        verbose: connection.verbose,
    };
    match command {
        Decision::Open(arguments) => session.open(arguments),
        Decision::List { status } => session.list(status.as_deref()),
        Decision::Show { id } => session.show(&read_id(&id)?),
        Decision::Edit(arguments) => session.edit(&arguments),
        Decision::Mark {
            id,
            option,
            criterion,
            mark,
            of,
        } => session.mark(&read_id(&id)?, &option, &criterion, mark, &of),
        Decision::Choose {
            id,
            options,
            off,
            none,
            of,
        } => {
            let change = match (none, off) {
                (true, _) => edits::Change::Nothing,
                (false, true) => edits::Change::Off,
                (false, false) => edits::Change::On,
            };
            session.choose(&read_id(&id)?, &options, change, &of)
        }
        Decision::Write { id, text, of } => session.write(&read_id(&id)?, text, &of),
        Decision::AppendOption {
            id,
            label,
            description,
            append,
        } => session.append(&read_id(&id)?, Kind::Option, label, description, append),
        Decision::AppendCriterion { id, label, append } => {
            session.append(&read_id(&id)?, Kind::Criterion, label, None, append)
        }
        Decision::Save {
            id,
            digest,
            generation,
        } => session.save(&read_id(&id)?, digest.as_deref(), generation),
        Decision::Reopen { id } => session.plain(&read_id(&id)?, "reopen", REOPENED),
        Decision::Discard { id, yes } => {
            let id = read_id(&id)?;
            session.confirm(&id, "Discard", yes)?;
            session.plain(&id, "discard", "discarded")
        }
        Decision::Cancel { id, reason, yes } => {
            let id = read_id(&id)?;
            session.confirm(&id, "Cancel", yes)?;
            session.cancel(&id, reason)
        }
        Decision::Why { id, text, .. } => session.why(&read_id(&id)?, text.unwrap_or_default()),
        Decision::Watch { id, until_closed } => {
            let until = if until_closed {
                watch::Until::Closed
            } else {
                watch::Until::Stopped
            };
            session.watch(&read_id(&id)?, until)
        }
    }
}

fn read_id(id: &str) -> Result<DecisionId, Failure> {
    DecisionId::parse(id).map_err(|e| Failure::Usage(format!("\"{}\": {e}", visible(id))))
}

impl Session {
    /// Prints the relay's body, or what `words` makes of it.
    fn say(&self, body: &Value, words: impl FnOnce(&Value) -> String) -> Result<(), Failure> {
        let text = if self.json {
            body.to_string()
        } else {
            words(body)
        };
        print(&format!("{text}\n"))
    }

    fn get(&self, id: &DecisionId) -> Result<(Value, DecisionView), Failure> {
        let body = self.client.get(&format!("decisions/{id}"))?;
        let view = shape(body.clone())?;
        Ok((body, view))
    }

    fn open(&self, arguments: OpenArguments) -> Result<(), Failure> {
        let option = |text: String| match text.split_once('=') {
            Some((label, description)) => OpenOption {
                label: label.into(),
                description: Some(description.into()),
            },
            None => OpenOption {
                label: text,
                description: None,
            },
        };
        let criteria: Vec<OpenCriterion> = arguments
            .criteria
            .into_iter()
            .map(|label| OpenCriterion { label })
            .collect();
        let body = self.client.post(
            "decisions",
            &Open {
                op: fresh_op()?,
                header: arguments.header,
                question: arguments.question,
                context: arguments.context,
                response: arguments.text.then_some(Response::Text),
                multiple: arguments.multiple,
                options: arguments.options.into_iter().map(option).collect(),
                criteria: (!criteria.is_empty()).then_some(criteria),
                anchor: None,
            },
        )?;
        // The id alone on stdout, for `ID=$(deem decision open ...)`.
        self.say(&body, |body| word(body, "id"))?;
        if self.json {
            return Ok(());
        }
        if self.client.has_pages() {
            eprintln!("{}{}", self.client.relay(), word(&body, "url"));
        }
        if let Some(hint) = hint_of_options(&body) {
            eprintln!("{hint}");
        }
        Ok(())
    }

    /// Asks a person at a terminal before what cannot be taken back.
    fn confirm(&self, id: &DecisionId, act: &str, yes: bool) -> Result<(), Failure> {
        if !confirm::is_asked(yes) {
            return Ok(());
        }
        let (_, view) = self.get(id)?;
        let question = view.definition.questions.first();
        let header = question.map_or("", |question| question.header.as_str());
        confirm::confirm(&format!(
            "{act} {id} \"{}\" ({}) for good? It cannot be reopened.",
            visible(header),
            visible(&view.status)
        ))
    }

    fn list(&self, status: Option<&str>) -> Result<(), Failure> {
        // A status is one of six words; what else was typed must not become part of the address.
        let known = [
            "open",
            "settled",
            "reopened",
            "discarded",
            "cancelled",
            "expired",
        ];
        if let Some(status) = status.filter(|status| !known.contains(status)) {
            let sentence = format!("--status {}: one of {}", visible(status), known.join(", "));
            return Err(Failure::Usage(sentence));
        }
        let query = status.map_or(String::new(), |status| format!("?status={status}"));
        let body = self.client.get(&format!("decisions{query}"))?;
        self.say(&body, draw_list)
    }

    fn show(&self, id: &DecisionId) -> Result<(), Failure> {
        let (body, view) = self.get(id)?;
        self.say(&body, |_| view.draw(columns()).trim_end().to_string())?;
        let Some(draft) = view.draft.as_ref().filter(|_| view.is_open()) else {
            return Ok(());
        };
        let displayed = Displayed {
            generation: view.generation,
            digest: draft.digest,
            shown: view.shown(),
        };
        shown::remember(&self.client, id, &displayed)
    }

    fn append(
        &self,
        id: &DecisionId,
        kind: Kind,
        label: String,
        description: Option<String>,
        append: Append,
    ) -> Result<(), Failure> {
        let question = match append.of.question.as_deref() {
            None => None,
            Some(name) => {
                let (_, view) = self.get(id)?;
                Meant::new(&view.definition, Some(name), &[])?.question_id()
            }
        };
        let op = fresh_op()?;
        let key = append.key.unwrap_or_else(|| op.to_string());
        let (path, field) = match kind {
            Kind::Option => ("options", "option"),
            Kind::Criterion => ("criteria", "criterion"),
        };
        let body = AppendBody {
            op: Some(op),
            question,
            key,
            label,
            description,
        };
        let body = self.client.post(&format!("decisions/{id}/{path}"), &body)?;
        self.say(&body, |body| {
            let entry = body.get(field).unwrap_or(&Value::Null);
            let again = body
                .get("repeated")
                .and_then(Value::as_bool)
                .unwrap_or(false);
            let note = if again {
                " (it was there under this key)"
            } else {
                ""
            };
            format!(
                "{field} {}  {}{note}",
                word(entry, "id"),
                word(entry, "label")
            )
        })
    }

    fn save(
        &self,
        id: &DecisionId,
        digest: Option<&str>,
        generation: Option<u32>,
    ) -> Result<(), Failure> {
        let (generation, digest, shown) = match (digest, generation) {
            (Some(digest), Some(generation)) => {
                let digest: Digest = digest
                    .parse()
                    .map_err(|_| Failure::Usage("--digest: 64 hex digits".into()))?;
                (Generation(generation), digest, None)
            }
            _ => {
                let Displayed {
                    generation,
                    digest,
                    shown,
                } = shown::recall(&self.client, id)?;
                (generation, digest, Some(shown))
            }
        };
        let save = Save {
            op: fresh_op()?,
            generation,
            digest,
            shown,
            seq: None,
            pressed_at: None,
        };
        let body = self.client.post(&format!("decisions/{id}/save"), &save)?;
        self.say(&body, |body| {
            let answer = body.get("answer").cloned().unwrap_or_default();
            let answer = serde_json::from_value(answer).map_or(String::new(), |a| answer_text(&a));
            format!(
                "settled: {answer}  (saved by {} at {})",
                word(body, "resolver"),
                word(body, "at")
            )
        })
    }

    fn plain(&self, id: &DecisionId, path: &str, done: &str) -> Result<(), Failure> {
        let body = Plain {
            op: fresh_op()?,
            generation: None,
        };
        let body = self.client.post(&format!("decisions/{id}/{path}"), &body)?;
        self.say(&body, |_| format!("{id} {done}"))
    }

    fn cancel(&self, id: &DecisionId, reason: String) -> Result<(), Failure> {
        let body = Cancel {
            op: fresh_op()?,
            generation: None,
            reason,
        };
        let body = self.client.post(&format!("decisions/{id}/cancel"), &body)?;
        self.say(&body, |_| format!("{id} cancelled"))
    }

    fn why(&self, id: &DecisionId, text: String) -> Result<(), Failure> {
        let done = if text.is_empty() {
            "why taken away"
        } else {
            "why kept"
        };
        let body = Why {
            op: fresh_op()?,
            generation: None,
            text,
        };
        let body = self.client.post(&format!("decisions/{id}/why"), &body)?;
        self.say(&body, |_| format!("{id}: {done}"))
    }
}

/// What to do about a choice of nothing, or of one thing: both may be asked (`D1.3`), and grow.
fn hint_of_options(body: &Value) -> Option<String> {
    let question = body.pointer("/definition/questions/0")?;
    if question.get("response").is_some() {
        return None;
    }
    let options = question.get("options")?.as_array()?.len();
    let count = match options {
        0 => "there is no option yet",
        1 => "there is one option",
        _ => return None,
    };
    let id = word(body, "id");
    Some(format!(
        "{count}: anyone can append some (deem decision append-option {id} LABEL) or write own words \
         (deem decision write {id} TEXT); --text asks for a text alone"
    ))
}

/// A text of the relay's body, safe to print.
fn word(body: &Value, key: &str) -> String {
    visible(body.get(key).and_then(Value::as_str).unwrap_or_default())
}

fn draw_list(body: &Value) -> String {
    let decisions = body
        .get("decisions")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    if decisions.is_empty() {
        return "no decisions".into();
    }
    let header = ["id", "status", "header", "question"].map(String::from);
    let rows: Vec<Vec<String>> = decisions
        .iter()
        .map(|decision| {
            let question = decision
                .pointer("/definition/questions/0")
                .unwrap_or(&Value::Null);
            vec![
                word(decision, "id"),
                word(decision, "status"),
                word(question, "header"),
                word(question, "question"),
            ]
        })
        .collect();
    table(&header, &rows, columns()).trim_end().to_string()
}
