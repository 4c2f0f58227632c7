//! The rules as functions, for code that has to agree with the relay without a space: JSON in,
//! JSON out.

use deem_core::map::BTreeMap;
use deem_core::{
    answer,
    command::{Command, Context},
    definition::Definition,
    draft::{DraftView, Mark, Proposal},
    edit::{Edit, Sheet},
    event::Event,
    id::{Cell, CriterionId, DecisionId, Generation, OptionId},
    matrix,
    record::Record,
    refusal::Refusal,
    text::{self, Field, Source},
};
use deem_draft::content::{content, counting_appended};
use deem_formats::Projection;
use serde::Serialize;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::errors::{malformed, read, thrown, to_js};

fn write<T: Serialize>(value: &T) -> Result<String, JsValue> {
    serde_json::to_string(value).map_err(|error| malformed(&error.to_string()))
}

/// The folded key of a label (`D1.5`).
///
/// # Errors
/// `{code: "invalid", reason, fault}`; `fault` is `blank`, `control`, `bidi`, `zero-width`, ...
#[wasm_bindgen(js_name = foldLabel)]
pub fn fold_label(label: &str) -> Result<String, JsValue> {
    text::fold(label).map_err(|fault| {
        #[derive(Serialize)]
        struct Thrown {
            code: &'static str,
            reason: deem_core::refusal::Reason,
            fault: &'static str,
        }
        to_js(&Thrown {
            code: "invalid",
            reason: fault.reason(),
            fault: fault.as_str(),
        })
    })
}

/// A text as a field keeps it (`D1.6`): `field` as in `tests/fixtures/lengths.json`, `stored` for
/// a definition that was loaded.
///
/// # Errors
/// `invalid {field, reason, max?}`.
#[wasm_bindgen(js_name = checkField)]
pub fn check_field(field: &str, stored: bool, text: &str) -> Result<String, JsValue> {
    let known = Field::parse(field).ok_or_else(|| malformed("/field: unknown"))?;
    let source = if stored {
        Source::Stored
    } else {
        Source::Input
    };
    text::check_text(known, source, text)
        .map(str::to_owned)
        .map_err(|fault| thrown(&fault.at(field)))
}

/// The answer a Save derives (`D4.5`) of a definition and a draft's values, both JSON.
///
/// # Errors
/// `invalid {question, reason}` where there is none, `malformed`.
#[wasm_bindgen(js_name = deriveAnswer)]
pub fn derive_answer(
    definition: &str,
    draft: &str,
    suggested: Option<String>,
) -> Result<String, JsValue> {
    let definition: Definition = read(definition)?;
    let draft: DraftView = read(draft)?;
    let suggested = option_id(suggested)?;
    let answer = answer::derive_answer(&definition, &draft, suggested.as_ref());
    write(&answer.map_err(|refusal| thrown(&refusal))?)
}

/// What a matrix of marks says (`D12.1`): lists of ids and a map of cells, all JSON.
///
/// # Errors
/// `malformed`.
#[wasm_bindgen(js_name = readMatrix)]
pub fn read_matrix(options: &str, criteria: &str, marks: &str) -> Result<String, JsValue> {
    let options: Vec<OptionId> = read(options)?;
    let criteria: Vec<CriterionId> = read(criteria)?;
    let marks: BTreeMap<Cell, Mark> = read(marks)?;
    write(&matrix::read_matrix(&options, &criteria, &marks))
}

/// Canonical content and its digest, as `{content, digest}` (design "Content and digest"); `own`
/// proposals are counted as appended.
///
/// # Errors
/// `malformed`.
#[wasm_bindgen(js_name = contentDigest)]
pub fn content_digest(
    decision: &str,
    generation: u32,
    definition: &str,
    draft: &str,
    suggested: Option<String>,
    own: &str,
) -> Result<JsValue, JsValue> {
    #[derive(Serialize)]
    struct Read {
        content: String,
        digest: String,
    }
    let decision = DecisionId::parse(decision).map_err(|error| malformed(&error.to_string()))?;
    let definition: Definition = read(definition)?;
    let draft: DraftView = read(draft)?;
    let suggested = option_id(suggested)?;
    let own: Vec<Proposal> = read(own)?;
    let (definition, suggested) = counting_appended(&definition, &own, suggested.as_ref());
    let content = content(
        &decision,
        Generation(generation),
        &definition,
        &draft,
        suggested,
    );
    Ok(to_js(&Read {
        content: content.canonical(),
        digest: content.digest().to_string(),
    }))
}

/// What a command would change: a list of events. `record` is absent before the first.
///
/// # Errors
/// The refusal, or `malformed`.
#[wasm_bindgen]
pub fn decide(record: Option<String>, command: &str, context: &str) -> Result<String, JsValue> {
    let record: Option<Record> = record.map(|record| read(&record)).transpose()?;
    let command: Command = read(command)?;
    let context: Context = read(context)?;
    let events = deem_core::decide(record.as_ref(), &command, &context);
    write(&events.map_err(|refusal| thrown(&refusal))?)
}

/// The record that a list of events makes of `record`; `null` before the first.
///
/// # Errors
/// `malformed`.
#[wasm_bindgen]
pub fn evolve(record: Option<String>, events: &str) -> Result<String, JsValue> {
    let record: Option<Record> = record.map(|record| read(&record)).transpose()?;
    let events: Vec<Event> = read(events)?;
    write(&events.iter().fold(record, deem_core::evolve))
}

/// Whether an edit of a draft that holds `proposals` is well formed for its card (`D2`).
///
/// # Errors
/// The refusal, or `malformed`.
#[wasm_bindgen(js_name = checkEdit)]
pub fn check_edit(
    decision: &str,
    definition: &str,
    proposals: &str,
    edit: &str,
) -> Result<(), JsValue> {
    let edit: Edit = read(edit)?;
    on_sheet(decision, definition, proposals, |sheet| sheet.check(&edit))
}

/// Whether a proposal can enter a draft that holds `proposals` (`D6.1`).
///
/// # Errors
/// The refusal, or `malformed`.
#[wasm_bindgen(js_name = checkProposal)]
pub fn check_proposal(
    decision: &str,
    definition: &str,
    proposals: &str,
    proposal: &str,
) -> Result<(), JsValue> {
    let proposal: Proposal = read(proposal)?;
    on_sheet(decision, definition, proposals, |sheet| {
        sheet.check_proposal(&proposal)
    })
}

fn on_sheet(
    decision: &str,
    definition: &str,
    proposals: &str,
    check: impl FnOnce(&Sheet<'_>) -> Result<(), Refusal>,
) -> Result<(), JsValue> {
    let decision = DecisionId::parse(decision).map_err(|error| malformed(&error.to_string()))?;
    let definition: Definition = read(definition)?;
    let proposals: Vec<Proposal> = read(proposals)?;
    let sheet = Sheet {
        decision: &decision,
        definition: &definition,
        proposals: &proposals,
    };
    check(&sheet).map_err(|refusal| thrown(&refusal))
}

/// The `<Questionnaire>` of a decision (`D11.2`): `{id, status, definition, saved}` to its text.
///
/// # Errors
/// `malformed`.
#[wasm_bindgen(js_name = writeProjection)]
pub fn write_projection(projection: &str) -> Result<String, JsValue> {
    let projection: Projection = read(projection)?;
    Ok(deem_formats::write(&projection))
}

/// Every `<Questionnaire>` of a Markdown document, in order, as [`write_projection`] takes them.
///
/// # Errors
/// `malformed {path, line, column, what}` for the first that cannot be read; line and column count
/// from 1, the column in characters. A fault of the Markdown parser itself ends this instance.
#[wasm_bindgen(js_name = readProjections)]
pub fn read_projections(document: &str) -> Result<String, JsValue> {
    let read = deem_formats::read(document).map_err(|error| {
        #[derive(Serialize)]
        struct Thrown {
            code: &'static str,
            path: String,
            line: usize,
            column: usize,
            what: String,
        }
        to_js(&Thrown {
            code: "malformed",
            path: error.to_string(),
            line: error.line,
            column: error.column,
            what: error.what,
        })
    })?;
    write(&read)
}

fn option_id(id: Option<String>) -> Result<Option<OptionId>, JsValue> {
    id.map(OptionId::parse)
        .transpose()
        .map_err(|error| malformed(&error.to_string()))
}
