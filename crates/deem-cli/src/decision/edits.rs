//! Edits of the draft: names into ids, words into typed edits.

use std::io::Read;

use deem_core::{
    definition::{Answering, Question},
    draft::Mark,
    edit::Edit as Typed,
    id::{DecisionId, Generation},
};
use deem_sync::wire::request::Edit as EditBody;
use serde_json::Value;

use super::{Session, word};
use crate::{
    args::{Edit, MarkWord, OfQuestion},
    client::fresh_op,
    failure::Failure,
    resolve::Meant,
    terminal::visible,
    view::{DecisionView, mark_word},
};

/// What `choose` does to the options named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Chooses them.
    On,
    /// Takes them back.
    Off,
    /// Takes back everything that is chosen.
    Nothing,
}

impl Session {
    pub(super) fn mark(
        &self,
        id: &DecisionId,
        option: &str,
        criterion: &str,
        mark: MarkWord,
        of: &OfQuestion,
    ) -> Result<(), Failure> {
        let (_, view) = self.get(id)?;
        let meant = meant(&view, of)?;
        let item = Typed::Mark {
            option: meant.option(option)?,
            criterion: meant.criterion(criterion)?,
            mark: mark_of(mark),
        };
        self.send(&view, &meant, None, vec![item])
    }

    pub(super) fn choose(
        &self,
        id: &DecisionId,
        options: &[String],
        change: Change,
        of: &OfQuestion,
    ) -> Result<(), Failure> {
        let (_, view) = self.get(id)?;
        let meant = meant(&view, of)?;
        let items = choices(&view, &meant, options, change)?;
        self.send(&view, &meant, None, items)
    }

    pub(super) fn write(
        &self,
        id: &DecisionId,
        text: String,
        of: &OfQuestion,
    ) -> Result<(), Failure> {
        let text = if text == "-" { stdin()? } else { text };
        let (_, view) = self.get(id)?;
        let meant = meant(&view, of)?;
        self.send(
            &view,
            &meant,
            None,
            vec![Typed::Text {
                question: meant.question_id(),
                text,
            }],
        )
    }

    pub(super) fn edit(&self, arguments: &Edit) -> Result<(), Failure> {
        let (_, view) = self.get(&super::read_id(&arguments.id)?)?;
        let meant = meant(&view, &arguments.of)?;
        let items = items(arguments, &meant)?;
        if items.is_empty() {
            return Err(Failure::Usage(
                "no edit is named: see deem decision edit --help".into(),
            ));
        }
        self.send(&view, &meant, arguments.generation.map(Generation), items)
    }

    /// Sends edits of the generation that the names were looked up in, all or none.
    fn send(
        &self,
        view: &DecisionView,
        meant: &Meant,
        generation: Option<Generation>,
        edits: Vec<Typed>,
    ) -> Result<(), Failure> {
        let body = EditBody {
            op: fresh_op()?,
            generation: Some(generation.unwrap_or(view.generation)),
            question: meant.question_id(),
            edits,
        };
        let said: Vec<String> = body.edits.iter().map(|edit| said(view, edit)).collect();
        let body = self
            .client
            .post(&format!("decisions/{}/edit", view.id), &body)?;
        self.say(&body, |body| {
            let mut lines = said;
            if self.verbose {
                let seq = body.get("seq").and_then(Value::as_u64).unwrap_or_default();
                lines.push(format!("seq {seq}  digest {}", word(body, "digest")));
            }
            lines.join("\n")
        })
    }
}

/// What an edit did, in the words of the card.
fn said(view: &DecisionView, edit: &Typed) -> String {
    let option = |id| visible(&view.option_label(id));
    match edit {
        Typed::Mark {
            option: row,
            criterion,
            mark,
        } => {
            let mark = mark.map_or("no mark", mark_word);
            let criterion = visible(&view.criterion_label(criterion));
            format!("{}, {criterion}: {mark}", option(row))
        }
        Typed::Choice {
            option: Some(row), ..
        } => format!("chosen: {}", option(row)),
        Typed::Choice { option: None, .. } => "nothing is chosen".into(),
        Typed::Pick {
            option: row,
            on: true,
        } => format!("chosen: {}", option(row)),
        Typed::Pick {
            option: row,
            on: false,
        } => format!("not chosen: {}", option(row)),
        Typed::Text { text, .. } if text.trim().is_empty() => "nothing is written".into(),
        Typed::Text { .. } => "written".into(),
    }
}

fn meant<'a>(view: &'a DecisionView, of: &OfQuestion) -> Result<Meant<'a>, Failure> {
    let proposals = view
        .draft
        .as_ref()
        .map_or(&[][..], |draft| &draft.proposals);
    Meant::new(&view.definition, of.question.as_deref(), proposals)
}

fn mark_of(word: MarkWord) -> Option<Mark> {
    match word {
        MarkWord::Yes => Some(Mark::Yes),
        MarkWord::Partly => Some(Mark::Partly),
        MarkWord::No => Some(Mark::No),
        MarkWord::Clear => None,
    }
}

/// Bytes of an answer on stdin: more than any answer has.
const STDIN_BYTES_MAX: u64 = 65_536;

fn stdin() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let mut bounded = std::io::stdin().take(STDIN_BYTES_MAX + 1);
    bounded
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::Local(format!("stdin cannot be read: {error}")))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > STDIN_BYTES_MAX) {
        return Err(Failure::Usage(format!(
            "stdin holds more than {STDIN_BYTES_MAX} bytes: give the answer alone"
        )));
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::Usage("stdin is not UTF-8: give the answer in UTF-8".into()))
}

/// The edits of `deem decision choose`.
fn choices(
    view: &DecisionView,
    meant: &Meant,
    options: &[String],
    change: Change,
) -> Result<Vec<Typed>, Failure> {
    let several = |answering: Answering| answering == Answering::Many;
    // A card of one question needs no name of it.
    let named = |question: &Question| {
        view.definition
            .only()
            .is_none()
            .then(|| question.id.clone())
    };
    if change == Change::Nothing {
        let mut items = Vec::new();
        for question in meant
            .questions()
            .into_iter()
            .filter(|question| question.is_choice())
        {
            if several(question.answering) {
                let contents = view.draft.iter().flat_map(|draft| &draft.content.questions);
                let own = contents.filter(|content| content.id == question.id);
                let picked = own.filter_map(|content| content.chosen.as_ref()).flatten();
                items.extend(picked.map(|(option, _)| Typed::Pick {
                    option: option.clone(),
                    on: false,
                }));
            } else {
                items.push(Typed::Choice {
                    question: named(question),
                    option: None,
                });
            }
        }
        return Ok(items);
    }
    let mut items = Vec::new();
    for typed in options {
        let option = meant.option(typed)?;
        let question = view.definition.question_of_option(&option);
        // A row that is not judged yet is of the question named, or of the only one.
        let question = question.or_else(|| meant.questions().first().copied());
        items.push(match question.map(|question| question.answering) {
            Some(Answering::Many) => Typed::Pick {
                option,
                on: change == Change::On,
            },
            _ => Typed::Choice {
                question: question.and_then(named),
                option: (change == Change::On).then_some(option),
            },
        });
    }
    let mut registers: Vec<_> = items
        .iter()
        .filter_map(|item| match item {
            Typed::Choice { question, .. } => Some(question),
            _ => None,
        })
        .collect();
    let choices = registers.len();
    registers.sort();
    registers.dedup();
    if registers.len() < choices {
        return Err(Failure::Usage("only one option may be chosen here".into()));
    }
    Ok(items)
}

/// The edits of `deem decision edit`, in the order marks, choice, picks, text.
fn items(arguments: &Edit, meant: &Meant) -> Result<Vec<Typed>, Failure> {
    let mut items = Vec::new();
    for mark in arguments.marks.chunks_exact(3) {
        let [option, criterion, word] = mark else {
            continue;
        };
        let word = <MarkWord as clap::ValueEnum>::from_str(word, false).map_err(|_| {
            Failure::Usage(format!("--mark ... {word}: one of yes, partly, no, clear"))
        })?;
        items.push(Typed::Mark {
            option: meant.option(option)?,
            criterion: meant.criterion(criterion)?,
            mark: mark_of(word),
        });
    }
    if let Some(typed) = &arguments.choice {
        items.push(Typed::Choice {
            question: meant.question_id(),
            option: Some(meant.option(typed)?),
        });
    }
    if arguments.no_choice {
        items.push(Typed::Choice {
            question: meant.question_id(),
            option: None,
        });
    }
    for (typed, on) in arguments
        .picks
        .iter()
        .map(|typed| (typed, true))
        .chain(arguments.unpicks.iter().map(|typed| (typed, false)))
    {
        items.push(Typed::Pick {
            option: meant.option(typed)?,
            on,
        });
    }
    items.extend(arguments.text.clone().map(|text| Typed::Text {
        question: meant.question_id(),
        text,
    }));
    Ok(items)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;
    use crate::args::{Cli, Command, Decision};

    fn view(multiple: bool) -> DecisionView {
        serde_json::from_value(json!({
            "id": "d1", "status": "open", "generation": 1,
            "definition": {"questions": [{
                "id": "q1", "header": "Day", "question": "Which day?", "multiple": multiple,
                "options": [{"id": "o1", "label": "Monday"}, {"id": "o2", "label": "Tuesday"}],
                "criteria": [{"id": "c1", "label": "Room free"}],
            }]},
            "draft": {
                "digest": "0".repeat(64), "seq": 1,
                "content": {
                    "v": 1, "decision": "d1", "generation": 1, "marks": {}, "columns": {},
                    "questions": [{"id": "q1", "chosen": {"o2": "Tuesday"}}],
                    "rows": {"o2": "Tuesday"},
                },
            },
        }))
        .expect("it is a decision")
    }

    fn json(items: Vec<Typed>) -> serde_json::Value {
        serde_json::to_value(items).expect("they are JSON")
    }

    /// D2.3: one register where one may be chosen, one flag an option where several may.
    #[test]
    fn chooses_by_the_kind_of_the_question() {
        let typed = ["monday".to_string()];
        let both = ["Monday".to_string(), "o2".to_string()];
        let chosen = |multiple, options: &[String], change| {
            let view = view(multiple);
            let meant = meant(&view, &OfQuestion::default()).expect("no question is named");
            choices(&view, &meant, options, change).map(json)
        };
        let is = |got: Result<_, Failure>, wanted| assert_eq!(got.expect("it is meant"), wanted);
        is(
            chosen(false, &typed, Change::On),
            json!([{"set": "choice", "option": "o1"}]),
        );
        is(
            chosen(false, &typed, Change::Off),
            json!([{"set": "choice", "option": null}]),
        );
        is(
            chosen(false, &[], Change::Nothing),
            json!([{"set": "choice", "option": null}]),
        );
        is(
            chosen(true, &both, Change::On),
            json!([
                {"set": "pick", "option": "o1", "on": true},
                {"set": "pick", "option": "o2", "on": true},
            ]),
        );
        is(
            chosen(true, &[], Change::Nothing),
            json!([{"set": "pick", "option": "o2", "on": false}]),
        );
        assert!(matches!(
            chosen(false, &both, Change::On),
            Err(Failure::Usage(_))
        ));
    }

    #[test]
    fn reads_several_edits_in_one_command() {
        let line = "deem decision edit d1 --mark Monday c1 yes --mark o2 c1 clear --pick o1 --unpick \
                    Tuesday --text words";
        let cli = Cli::try_parse_from(line.split_whitespace()).expect("it parses");
        let Command::Decision(Decision::Edit(arguments)) = cli.command else {
            panic!("an edit")
        };
        let view = view(true);
        let meant = meant(&view, &arguments.of).expect("no question is named");
        assert_eq!(
            json(items(&arguments, &meant).expect("all are meant")),
            json!([
                {"set": "mark", "option": "o1", "criterion": "c1", "mark": "yes"},
                {"set": "mark", "option": "o2", "criterion": "c1", "mark": null},
                {"set": "pick", "option": "o1", "on": true},
                {"set": "pick", "option": "o2", "on": false},
                {"set": "text", "text": "words"},
            ])
        );
    }
}
