//! Adapter of `answers.json`.

use deem_core::{
    Definition, DraftView, OptionId, Refusal,
    answer::derive_answer,
    draft::{Mark, Mode},
    id::QuestionId,
};
use serde_json::{Map, Value, json};

use crate::{same, text};

pub fn check(input: &Value, expect: &Value) -> Result<(), String> {
    let questions: Vec<Value> = list(&input["questions"]).iter().map(question).collect();
    let definition: Definition =
        serde_json::from_value(json!({ "questions": questions })).expect("a definition");
    let draft = draft(&input["drafts"]);
    let suggested = input["suggestion"]
        .as_str()
        .map(|id| OptionId::parse(id).expect("an id"));
    match derive_answer(&definition, &draft, suggested.as_ref()) {
        Ok(answer) => {
            let answer = serde_json::to_value(&answer).expect("an answer is JSON");
            let got: Vec<Value> = list(&answer["answers"]).iter().map(table_answer).collect();
            same("answers", &Value::Array(got), &expect["answers"])
        }
        Err(Refusal::Invalid { question, .. }) => {
            same("refused", &expect["refused"], &json!("invalid"))?;
            let of = question.map(|question| question.to_string());
            same("of", &of.as_deref(), &expect["of"].as_str())
        }
        Err(other) => Err(format!("refused with {other:?}")),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn pairs(value: &Value) -> Value {
    list(value)
        .iter()
        .map(|pair| json!({ "id": pair[0], "label": pair[1] }))
        .collect()
}

fn question(given: &Value) -> Value {
    let mut question = given.as_object().expect("a question").clone();
    question.insert("header".into(), json!("Header"));
    question.insert("options".into(), pairs(&given["options"]));
    if !given["criteria"].is_null() {
        question.insert("criteria".into(), pairs(&given["criteria"]));
    }
    Value::Object(question)
}

fn draft(drafts: &Value) -> DraftView {
    let mut view = DraftView::default();
    for (id, given) in drafts.as_object().into_iter().flatten() {
        let part = view
            .questions
            .entry(QuestionId::parse(id.as_str()).expect("an id"))
            .or_default();
        if given["mode"] == "custom" {
            part.mode = Mode::Custom;
        }
        part.single = given["single"]
            .as_str()
            .map(|id| OptionId::parse(id).expect("an id"));
        part.text = given["text"].as_str().unwrap_or_default().to_owned();
        for (option, on) in given["picks"].as_object().into_iter().flatten() {
            if on == true {
                view.picks
                    .insert(OptionId::parse(option.as_str()).expect("an id"));
            }
        }
        for (cell, mark) in given["marks"].as_object().into_iter().flatten() {
            let mark: Option<Mark> = serde_json::from_value(mark.clone()).expect("a mark");
            if let Some(mark) = mark {
                view.marks.insert(cell.parse().expect("a cell"), mark);
            }
        }
    }
    view
}

/// From the wire's shape to the table's.
fn table_answer(answer: &Value) -> Value {
    let mut out: Map<String, Value> = answer.as_object().expect("an answer").clone();
    if let Some(chosen) = answer["chosen"].as_array() {
        let chosen = chosen
            .iter()
            .map(|c| json!([text(c, "id"), text(c, "label")]))
            .collect();
        out.insert("chosen".into(), chosen);
    }
    Value::Object(out)
}
