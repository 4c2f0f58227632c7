//! A decision in a terminal: header, question, matrix, answer, and the revision at the end.

use std::{collections::BTreeMap, fmt::Write};

use deem_core::{
    answer::{Answer, QuestionAnswer},
    definition::{Answering, Question},
    draft::{Kind, Mark},
    id::{Cell, OptionId},
    record::Settled,
};
use deem_draft::content::QuestionContent;
use deem_sync::wire::reply::{ProposalView, Verdict};

use super::{Contested, DecisionView, Said};
use crate::terminal::{table, visible, visible_lines, wrap};

/// What is chosen and written for one question, from a draft or from a settled answer.
#[derive(Default)]
struct Side {
    chosen: Vec<OptionId>,
    text: Option<String>,
}

impl DecisionView {
    /// The whole drawing; `columns` as [`crate::terminal::columns`].
    pub fn draw(&self, columns: Option<usize>) -> String {
        let mut out = format!(
            "{}  {}  generation {}\n",
            self.id, self.status, self.generation
        );
        let empty = BTreeMap::new();
        let marks = match (&self.draft, &self.answer) {
            (Some(draft), _) => draft.content.marks.clone(),
            (None, Some(answer)) => all_marks(answer),
            (None, None) => empty,
        };
        for question in &self.definition.questions {
            let side = self.side(question);
            self.draw_question(question, &side, &marks, columns, &mut out);
        }
        self.draw_below(&mut out);
        // Nothing can be saved any more where a decision was discarded or cancelled.
        if let Some(draft) = self.draft.as_ref().filter(|_| self.is_open()) {
            let (digest, seq) = (draft.digest, draft.seq);
            let _ = writeln!(
                out,
                "digest {digest}  generation {}  seq {seq}",
                self.generation
            );
        }
        out
    }

    fn side(&self, question: &Question) -> Side {
        if let Some(draft) = &self.draft {
            let content = draft.content.questions.iter().find(|q| q.id == question.id);
            return content.map(side_of_content).unwrap_or_default();
        }
        let answers = self.answer.iter().flat_map(|answer| &answer.answers);
        answers
            .filter(|a| a.id == question.id)
            .map(side_of_answer)
            .next()
            .unwrap_or_default()
    }

    fn draw_question(
        &self,
        question: &Question,
        side: &Side,
        marks: &BTreeMap<Cell, Mark>,
        columns: Option<usize>,
        out: &mut String,
    ) {
        out.push('\n');
        // A header that was made of the question says nothing beside it.
        if !question.question.starts_with(&question.header) {
            let _ = writeln!(out, "{}", visible(&question.header));
        }
        paragraph(&question.question, columns, out);
        if let Some(context) = &question.context {
            paragraph(context, columns, out);
        }
        if !question.options.is_empty() {
            let mut header = vec![String::new()];
            header.extend(question.criteria.iter().map(|c| visible(&c.label)));
            let rows: Vec<Vec<String>> = question
                .options
                .iter()
                .map(|option| {
                    let picked = side.chosen.contains(&option.id);
                    let sign = sign(question.answering, picked);
                    let mut row = vec![format!("{sign} {}", visible(&option.label))];
                    row.extend(question.criteria.iter().map(|criterion| {
                        let (option, criterion) = (option.id.clone(), criterion.id.clone());
                        self.mark_text(&Cell { option, criterion }, marks)
                    }));
                    row
                })
                .collect();
            out.push_str(&table(&header, &rows, columns));
            for option in &question.options {
                if let Some(description) = &option.description {
                    let label = visible(&option.label);
                    let _ = writeln!(
                        out,
                        "  {label}: {}",
                        visible_lines(description).join("\n    ")
                    );
                }
            }
        }
        let text = match (&side.text, question.is_choice()) {
            (None, true) => return,
            (None, false) => "",
            (Some(text), _) => text.as_str(),
        };
        let name = if question.is_choice() {
            "Own words"
        } else {
            "Answer"
        };
        let lines = if text.trim().is_empty() {
            "(nothing written)".to_string()
        } else {
            visible_lines(text).join("\n  ")
        };
        let _ = writeln!(out, "{name}: {lines}");
    }

    /// The mark in words; `!` where somebody marked it otherwise at the same time.
    fn mark_text(&self, cell: &Cell, marks: &BTreeMap<Cell, Mark>) -> String {
        let contested = self
            .contested
            .iter()
            .any(|c| c.option == cell.option && c.criterion == cell.criterion);
        let word = marks.get(cell).copied().map_or("", mark_word);
        if contested {
            format!("{word} !").trim_start().to_string()
        } else {
            word.to_string()
        }
    }

    /// What stands under the questions: advice, contested cells, proposals, who, history.
    fn draw_below(&self, out: &mut String) {
        out.push('\n');
        if let (true, Some(option)) = (self.is_open(), self.suggested_option()) {
            let _ = writeln!(out, "suggested: {}", visible(&self.option_label(&option)));
        }
        for contested in &self.contested {
            let _ = writeln!(out, "! {}", self.contested_sentence(contested));
        }
        if let Some(draft) = &self.draft {
            for proposal in &draft.proposals {
                let _ = writeln!(out, "{}", proposal_sentence(proposal));
            }
            if !draft.editors.is_empty() {
                let editors: Vec<&str> = draft.editors.iter().map(AsRef::as_ref).collect();
                let _ = writeln!(out, "edited by {}", visible(&editors.join(", ")));
            }
        }
        if self.is_open() && self.draft.is_none() {
            out.push_str("its draft is not shown to viewers: marks and picks may be there\n");
        }
        if let (Some(resolver), Some(at)) = (&self.resolver, &self.at) {
            let answer = self.answer.as_ref().map(answer_text).unwrap_or_default();
            let imported = if self.imported { " (imported)" } else { "" };
            let by = visible(resolver.as_str());
            let _ = writeln!(out, "saved by {by} at {at}{imported}: {answer}");
        }
        for label in self.unseen_labels() {
            let _ = writeln!(out, "{}: added while this was being saved", visible(&label));
        }
        if matches!(self.status.as_str(), "discarded" | "cancelled" | "expired") {
            let _ = writeln!(out, "{}", self.ending());
        }
        if let Some(why) = &self.why {
            let by = self
                .why_by
                .as_ref()
                .map_or("a draft, nobody's words yet", AsRef::as_ref);
            let _ = writeln!(out, "why: {} ({})", visible(why), visible(by));
        }
        for earlier in &self.history {
            let _ = writeln!(out, "{}", history_line(earlier));
        }
    }

    /// How it ended without an answer: by whom, when and why, as far as that is known.
    fn ending(&self) -> String {
        let mut out = self.status.clone();
        if let Some(closed) = &self.closed {
            // Nobody lets a dialog expire.
            if self.status != "expired" {
                let _ = write!(out, " by {}", visible(closed.by.as_str()));
            }
            let _ = write!(out, " at {}", closed.at);
        }
        if let Some(reason) = self.reason.as_ref().filter(|reason| !reason.is_empty()) {
            let _ = write!(out, ": {}", visible(reason));
        }
        out
    }

    /// Rows and columns that were not on screen when the answer was saved (`D6.4`).
    fn unseen_labels(&self) -> Vec<String> {
        let Some(shown) = &self.shown else {
            return Vec::new();
        };
        let questions = &self.definition.questions;
        let options = questions.iter().flat_map(|question| &question.options);
        let criteria = questions.iter().flat_map(|question| &question.criteria);
        let options = options.filter(|option| !shown.options.contains(&option.id));
        let criteria = criteria.filter(|criterion| !shown.criteria.contains(&criterion.id));
        options
            .map(|o| o.label.clone())
            .chain(criteria.map(|c| c.label.clone()))
            .collect()
    }

    fn contested_sentence(&self, contested: &Contested) -> String {
        let said = |said: &Said| {
            let word = said.mark.map_or("nothing", mark_word);
            format!("{} said {word}", visible(said.by.as_str()))
        };
        let mut sayings: Vec<String> = contested.lost.iter().map(said).collect();
        sayings.push(said(&contested.stands));
        format!(
            "{} / {}: {}, at the same time; {} stands",
            visible(&self.option_label(&contested.option)),
            visible(&self.criterion_label(&contested.criterion)),
            sayings.join(", "),
            contested.stands.mark.map_or("nothing", mark_word),
        )
    }
}

fn paragraph(text: &str, columns: Option<usize>, out: &mut String) {
    for line in visible_lines(text) {
        for line in wrap(&line, columns.unwrap_or(usize::MAX)) {
            let _ = writeln!(out, "{line}");
        }
    }
}

fn sign(answering: Answering, picked: bool) -> &'static str {
    match (answering, picked) {
        (Answering::Many, true) => "[x]",
        (Answering::Many, false) => "[ ]",
        (_, true) => "(•)",
        (_, false) => "( )",
    }
}

/// The word on the wire and on every screen.
pub fn mark_word(mark: Mark) -> &'static str {
    match mark {
        Mark::Yes => "yes",
        Mark::Partly => "partly",
        Mark::No => "no",
    }
}

fn side_of_content(content: &QuestionContent) -> Side {
    Side {
        chosen: content
            .chosen
            .iter()
            .flat_map(BTreeMap::keys)
            .cloned()
            .collect(),
        text: content.text.clone(),
    }
}

fn side_of_answer(answer: &QuestionAnswer) -> Side {
    Side {
        chosen: answer
            .chosen
            .iter()
            .flatten()
            .map(|chosen| chosen.id.clone())
            .collect(),
        text: answer.text.clone(),
    }
}

fn all_marks(answer: &Answer) -> BTreeMap<Cell, Mark> {
    let marks = answer
        .answers
        .iter()
        .filter_map(|a| a.marks.as_ref())
        .flatten();
    marks.map(|(cell, mark)| (cell.clone(), *mark)).collect()
}

/// Labels joined by "; ", or the text (`P8`, as in the projection).
pub fn answer_text(answer: &Answer) -> String {
    let of = |a: &QuestionAnswer| match (&a.chosen, &a.text) {
        (Some(chosen), _) => {
            let labels: Vec<&str> = chosen.iter().map(|c| c.label.as_str()).collect();
            let suffix = if a.suggested { " (as suggested)" } else { "" };
            format!("{}{suffix}", labels.join("; "))
        }
        (None, Some(text)) => text.clone(),
        (None, None) => String::new(),
    };
    let texts: Vec<String> = answer.answers.iter().map(|a| visible(&of(a))).collect();
    texts.join(" | ")
}

fn history_line(earlier: &Settled) -> String {
    let why = earlier
        .why
        .as_ref()
        .map_or(String::new(), |why| format!(" - {}", visible(why)));
    format!(
        "generation {}: {} (saved by {} at {}){why}",
        earlier.generation,
        answer_text(&earlier.answer),
        visible(earlier.resolver.as_str()),
        earlier.at
    )
}

fn proposal_sentence(proposal: &ProposalView) -> String {
    let kind = match proposal.kind {
        Kind::Option => "option",
        Kind::Criterion => "criterion",
    };
    let verdict = match proposal.verdict {
        Verdict::Appended => "appended".to_string(),
        Verdict::Pending => "pending".to_string(),
        Verdict::Duplicate => {
            format!(
                "not appended: it is the same as {}",
                proposal.of.as_deref().unwrap_or("another")
            )
        }
        Verdict::Full => "not appended: no place left".to_string(),
        Verdict::Invalid => "not appended: a rule refused it".to_string(),
    };
    let by = visible(proposal.by.as_str());
    format!("{kind} \"{}\" by {by}: {verdict}", visible(&proposal.label))
}

#[cfg(test)]
mod tests;
