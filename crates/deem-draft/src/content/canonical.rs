//! RFC 8785: keys sorted by UTF-16 code units, shortest escapes, no white space.

use super::{Content, QuestionContent};
use crate::schema::mark_word;

/// A JSON value as far as content has them.
enum Json<'c> {
    Number(u32),
    Text(&'c str),
    List(Vec<Json<'c>>),
    Object(Vec<(String, Json<'c>)>),
}

pub(super) fn write(content: &Content) -> String {
    let marks = content.marks.iter();
    let marks = marks.map(|(cell, mark)| (cell.to_string(), Json::Text(mark_word(*mark))));
    let rows = content
        .rows
        .iter()
        .map(|(id, label)| (id.to_string(), text_of(label)));
    let columns = content
        .columns
        .iter()
        .map(|(id, label)| (id.to_string(), text_of(label)));
    let json = object([
        ("v", Json::Number(content.v)),
        ("decision", Json::Text(content.decision.as_str())),
        ("generation", Json::Number(content.generation.0)),
        (
            "questions",
            Json::List(content.questions.iter().map(question).collect()),
        ),
        ("marks", Json::Object(marks.collect())),
        ("rows", Json::Object(rows.collect())),
        ("columns", Json::Object(columns.collect())),
    ]);
    let mut out = String::with_capacity(256);
    json.write(&mut out);
    out
}

fn text_of(text: &str) -> Json<'_> {
    Json::Text(text)
}

fn object<'c>(fields: impl IntoIterator<Item = (&'static str, Json<'c>)>) -> Json<'c> {
    let fields = fields.into_iter();
    Json::Object(
        fields
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    )
}

fn question(question: &QuestionContent) -> Json<'_> {
    let mut fields = vec![("id", Json::Text(question.id.as_str()))];
    if let Some(chosen) = &question.chosen {
        let chosen = chosen
            .iter()
            .map(|(id, label)| (id.to_string(), text_of(label)));
        fields.push(("chosen", Json::Object(chosen.collect())));
    }
    if let Some(text) = &question.text {
        fields.push(("text", Json::Text(text)));
    }
    if let Some(suggested) = &question.suggested {
        let suggested = object([
            ("id", Json::Text(suggested.id.as_str())),
            ("label", Json::Text(&suggested.label)),
        ]);
        fields.push(("suggested", suggested));
    }
    object(fields)
}

impl Json<'_> {
    fn write(&self, out: &mut String) {
        match self {
            Self::Number(number) => out.push_str(&number.to_string()),
            Self::Text(text) => write_text(out, text),
            Self::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(fields) => {
                // Ids come nearly in this order, and there are few: the library's sort is 5 kB of
                // code in a browser.
                let mut sorted: Vec<&(String, Json<'_>)> = Vec::with_capacity(fields.len());
                for field in fields {
                    let (name, _) = field;
                    let is_before =
                        |(held, _): &&(String, _)| held.encode_utf16().le(name.encode_utf16());
                    let at = sorted.iter().rposition(is_before).map_or(0, |at| at + 1);
                    sorted.insert(at, field);
                }
                out.push('{');
                for (at, (name, value)) in sorted.into_iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write_text(out, name);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{9}' => out.push_str("\\t"),
            '\u{a}' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\u{d}' => out.push_str("\\r"),
            '\0'..='\u{1f}' => {
                let code = u32::from(c);
                let digit = |nibble: u32| char::from_digit(nibble, 16).unwrap_or('0');
                out.push_str("\\u00");
                out.push(digit(code >> 4));
                out.push(digit(code & 15));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}
