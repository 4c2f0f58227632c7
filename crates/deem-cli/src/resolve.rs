//! OPTION and CRITERION as they are typed: by id, else by label under the folding of `D1.5`.

use deem_core::{
    definition::{Definition, Question},
    draft::Kind,
    id::{CriterionId, OptionId, QuestionId},
    text::fold,
};
use deem_sync::wire::reply::{ProposalView, Verdict};

use crate::{failure::Failure, terminal::visible};

/// A row or column that can be meant.
struct Candidate {
    id: String,
    label: String,
}

/// Where to look: the definition, one question of it, and the proposals that are not judged yet.
pub struct Meant<'a> {
    definition: &'a Definition,
    question: Option<&'a Question>,
    proposals: &'a [ProposalView],
}

impl<'a> Meant<'a> {
    /// Looks in the question named, or in the whole card.
    pub fn new(
        definition: &'a Definition,
        question: Option<&str>,
        proposals: &'a [ProposalView],
    ) -> Result<Self, Failure> {
        let question = question
            .map(|name| find_question(definition, name))
            .transpose()?;
        Ok(Self {
            definition,
            question,
            proposals,
        })
    }

    /// The id of the named question, for bodies.
    pub fn question_id(&self) -> Option<QuestionId> {
        self.question.map(|question| question.id.clone())
    }

    /// Questions that are looked in.
    pub fn questions(&self) -> Vec<&'a Question> {
        match self.question {
            Some(question) => vec![question],
            None => self.definition.questions.iter().collect(),
        }
    }

    /// The option that `typed` means.
    pub fn option(&self, typed: &str) -> Result<OptionId, Failure> {
        let own = self.questions().into_iter().flat_map(|q| &q.options);
        let own = own.map(|o| Candidate {
            id: o.id.to_string(),
            label: o.label.clone(),
        });
        let all: Vec<Candidate> = own.chain(self.pending(Kind::Option)).collect();
        let id = find("option", typed, &all)?;
        OptionId::parse(id).map_err(|e| Failure::Usage(e.to_string()))
    }

    /// The criterion that `typed` means.
    pub fn criterion(&self, typed: &str) -> Result<CriterionId, Failure> {
        let own = self.questions().into_iter().flat_map(|q| &q.criteria);
        let own = own.map(|c| Candidate {
            id: c.id.to_string(),
            label: c.label.clone(),
        });
        let all: Vec<Candidate> = own.chain(self.pending(Kind::Criterion)).collect();
        let id = find("criterion", typed, &all)?;
        CriterionId::parse(id).map_err(|e| Failure::Usage(e.to_string()))
    }

    fn pending(&self, kind: Kind) -> impl Iterator<Item = Candidate> + 'a {
        let proposals = self.proposals.iter();
        proposals
            .filter(move |p| p.kind == kind && p.verdict == Verdict::Pending)
            .map(|p| Candidate {
                id: p.id.clone(),
                label: p.label.clone(),
            })
    }
}

fn find_question<'a>(definition: &'a Definition, name: &str) -> Result<&'a Question, Failure> {
    let candidates: Vec<Candidate> = definition
        .questions
        .iter()
        .map(|q| Candidate {
            id: q.id.to_string(),
            label: q.header.clone(),
        })
        .collect();
    let id = find("question", name, &candidates)?;
    let found = definition
        .questions
        .iter()
        .find(|question| question.id.as_str() == id);
    found.ok_or_else(|| Failure::Usage(format!("no question {id}")))
}

/// The one candidate of that id, else of that label.
fn find(what: &str, typed: &str, candidates: &[Candidate]) -> Result<String, Failure> {
    if let Some(exact) = candidates.iter().find(|candidate| candidate.id == typed) {
        return Ok(exact.id.clone());
    }
    let key = fold(typed).ok();
    let same = |candidate: &&Candidate| key.is_some() && fold(&candidate.label).ok() == key;
    let matching: Vec<&Candidate> = candidates.iter().filter(same).collect();
    if let [only] = matching.as_slice() {
        return Ok(only.id.clone());
    }
    let (sentence, listed): (_, Vec<&Candidate>) = if matching.is_empty() {
        (
            format!("no {what} is \"{}\"", visible(typed)),
            candidates.iter().collect(),
        )
    } else {
        (
            format!("\"{}\" is more than one {what}", visible(typed)),
            matching,
        )
    };
    if listed.is_empty() {
        return Err(Failure::Usage(format!("{sentence}; there is none")));
    }
    let lines: Vec<String> = listed
        .iter()
        .map(|candidate| format!("  {}  {}", candidate.id, visible(&candidate.label)))
        .collect();
    Err(Failure::Usage(format!(
        "{sentence}; there is\n{}",
        lines.join("\n")
    )))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn definition() -> Definition {
        serde_json::from_value(json!({"questions": [{
            "id": "q1", "header": "Where", "question": "Where?", "multiple": false,
            "options": [
                {"id": "o1", "label": "Café"},
                {"id": "o2", "label": "o1"},
                {"id": "o3", "label": "Straße"},
            ],
            "criteria": [{"id": "c1", "label": "Price"}],
        }]}))
        .expect("it is a definition")
    }

    /// D1.5: labels are the same under one folding; an id goes before a label.
    #[test]
    fn finds_by_id_then_by_folded_label() {
        let definition = definition();
        let meant = Meant::new(&definition, None, &[]).expect("no question is named");
        for (typed, id) in [
            ("o1", "o1"),
            ("Cafe\u{301}", "o1"),
            (" STRASSE ", "o3"),
            ("o2", "o2"),
        ] {
            assert_eq!(meant.option(typed).expect(typed).as_str(), id);
        }
        assert_eq!(meant.criterion("price").expect("one").as_str(), "c1");
    }

    #[test]
    fn names_the_candidates_where_none_is_meant() {
        let definition = definition();
        let meant = Meant::new(&definition, Some("where"), &[]).expect("its header");
        let Err(Failure::Usage(sentence)) = meant.option("Barn") else {
            panic!("none is meant")
        };
        assert_eq!(
            sentence,
            "no option is \"Barn\"; there is\n  o1  Café\n  o2  o1\n  o3  Straße"
        );
        assert!(Meant::new(&definition, Some("q2"), &[]).is_err());
    }

    #[test]
    fn finds_a_row_that_is_not_judged_yet() {
        let definition = definition();
        let proposal = |verdict: &str| -> ProposalView {
            serde_json::from_value(json!({
                "kind": "option", "id": "p1", "key": "key-00001", "label": "Barn", "by": "ada",
                "verdict": verdict,
            }))
            .expect("it is a proposal")
        };
        let pending = [proposal("pending")];
        let meant = Meant::new(&definition, None, &pending).expect("no question is named");
        assert_eq!(meant.option("barn").expect("pending").as_str(), "p1");
        let full = [proposal("full")];
        let meant = Meant::new(&definition, None, &full).expect("no question is named");
        assert!(meant.option("barn").is_err());
    }
}
