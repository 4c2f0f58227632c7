//! Rust items as TypeScript.

use std::fmt::Write as _;

use serde_json::Value;
use syn::{Expr, Fields, GenericArgument, Item, ItemEnum, ItemStruct, Lit, PathArguments, Type};

use super::read::{cased, doc, serde};

/// Types that are a text in JSON.
const TEXTS: [&str; 13] = [
    "String",
    "str",
    "At",
    "Cell",
    "CriterionId",
    "DecisionId",
    "Digest",
    "Key",
    "OpId",
    "OptionId",
    "Person",
    "QuestionId",
    "SpaceId",
];
/// Types that are a number.
const NUMBERS: [&str; 6] = ["u16", "u32", "u64", "usize", "Generation", "Epoch"];
/// Words of a record that Rust holds as text.
const STATUSES: [&str; 6] = [
    "open",
    "settled",
    "reopened",
    "discarded",
    "cancelled",
    "expired",
];

/// Variants that the relay keeps to itself.
const INTERNAL: [&str; 1] = ["ProposalRefused"];

/// The closed lists of `codes.json`, and the status words.
pub(super) fn codes(out: &mut String, json: &str) -> Result<(), String> {
    let table: Value = serde_json::from_str(json).map_err(|e| e.to_string())?;
    let list = |name: &str| -> Vec<&str> {
        let rows = table
            .get(name)
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        rows.filter_map(|row| {
            row.get("code")
                .or(row.get("reason"))
                .unwrap_or(row)
                .as_str()
        })
        .collect()
    };
    for (name, about, words) in [
        (
            "Code",
            "Every code of a refusal (docs/protocol.md 9).",
            list("codes"),
        ),
        ("Reason", "What an `invalid` is about.", list("reasons")),
        (
            "Status",
            "Where a record stands; open means `open` or `reopened` (D4.9).",
            STATUSES.to_vec(),
        ),
    ] {
        if words.is_empty() {
            return Err(format!("codes.json has no {name}"));
        }
        let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        union(out, &[about.to_owned()], name, &words);
    }
    Ok(())
}

/// One struct or enum.
pub(super) fn item(out: &mut String, item: &Item) -> Result<(), String> {
    match item {
        Item::Struct(given) => structure(out, given),
        Item::Enum(given) => enumeration(out, given),
        _ => Err("is neither a struct nor an enum".into()),
    }
}

fn structure(out: &mut String, given: &ItemStruct) -> Result<(), String> {
    let about = serde(&given.attrs)?;
    let fields = fields(&given.fields, about.rename_all.as_deref())?;
    comment(out, "", &doc(&given.attrs));
    let _ = write!(out, "export interface {}", given.ident);
    if !fields.flattened.is_empty() {
        let _ = write!(out, " extends {}", fields.flattened.join(", "));
    }
    out.push_str(" {\n");
    for field in &fields.named {
        comment(out, "  ", &field.doc);
        let _ = writeln!(out, "  {};", field.text);
    }
    out.push_str("}\n");
    Ok(())
}

fn enumeration(out: &mut String, given: &ItemEnum) -> Result<(), String> {
    let about = serde(&given.attrs)?;
    let mut alternatives = Vec::new();
    for variant in &given.variants {
        if INTERNAL.iter().any(|name| variant.ident == name) {
            continue;
        }
        if let Some((_, Expr::Lit(number))) = &variant.discriminant
            && let Lit::Int(number) = &number.lit
        {
            alternatives.push(number.base10_digits().to_owned());
            continue;
        }
        let own = serde(&variant.attrs)?;
        let cased = cased(&variant.ident.to_string(), about.rename_all.as_deref())?;
        let name = own.rename.unwrap_or(cased);
        let Some(tag) = &about.tag else {
            if !matches!(variant.fields, Fields::Unit) {
                return Err("an enum with fields needs a tag".into());
            }
            alternatives.push(format!("\"{name}\""));
            continue;
        };
        let head = format!("{tag}: \"{name}\"");
        alternatives.push(match &variant.fields {
            Fields::Unit => format!("{{ {head} }}"),
            Fields::Unnamed(one) => {
                let inner = one.unnamed.first().ok_or("an empty variant")?;
                format!("({{ {head} }} & {})", typescript(&inner.ty)?)
            }
            named @ Fields::Named(_) => {
                let fields = fields(named, about.rename_all_fields.as_deref())?;
                let texts = fields.named.iter().map(|field| field.text.as_str());
                let all: Vec<&str> = std::iter::once(head.as_str()).chain(texts).collect();
                format!("{{ {} }}", all.join("; "))
            }
        });
    }
    union(
        out,
        &doc(&given.attrs),
        &given.ident.to_string(),
        &alternatives,
    );
    Ok(())
}

/// On one line where it fits.
fn union(out: &mut String, about: &[String], name: &str, alternatives: &[String]) {
    comment(out, "", about);
    let line = alternatives.join(" | ");
    let simple = alternatives.iter().all(|one| !one.contains(' '));
    if simple && line.len() + name.len() < 80 {
        let _ = writeln!(out, "export type {name} = {line};");
        return;
    }
    let _ = write!(out, "export type {name} =");
    for one in alternatives {
        let _ = write!(out, "\n  | {one}");
    }
    out.push_str(";\n");
}

struct Field {
    doc: Vec<String>,
    text: String,
}

#[derive(Default)]
struct Parts {
    named: Vec<Field>,
    flattened: Vec<String>,
}

fn fields(given: &Fields, case: Option<&str>) -> Result<Parts, String> {
    let mut parts = Parts::default();
    for field in given {
        let about = serde(&field.attrs)?;
        if about.flatten {
            parts.flattened.push(typescript(&field.ty)?);
            continue;
        }
        let ident = field.ident.as_ref().ok_or("a field without a name")?;
        let name = about
            .rename
            .map_or_else(|| cased(&ident.to_string(), case), Ok)?;
        let (inner, nullable) = match argument(&field.ty, "Option") {
            Some(inner) => (inner, !about.optional),
            None => (&field.ty, false),
        };
        let mark = if about.optional { "?" } else { "" };
        let null = if nullable { " | null" } else { "" };
        let text = match name.as_str() {
            "status" => "Status".to_owned(),
            _ => typescript(inner)?,
        };
        parts.named.push(Field {
            doc: doc(&field.attrs),
            text: format!("{name}{mark}: {text}{null}"),
        });
    }
    Ok(parts)
}

fn typescript(given: &Type) -> Result<String, String> {
    if let Type::Reference(reference) = given {
        return typescript(&reference.elem);
    }
    let last = last(given).ok_or("a type that is no path")?;
    let name = last.0.as_str();
    let inner = |at: usize| {
        last.1
            .get(at)
            .copied()
            .ok_or("a missing argument".to_owned())
    };
    Ok(match name {
        "Box" => typescript(inner(0)?)?,
        "Vec" => format!("{}[]", typescript(inner(0)?)?),
        "Option" => format!("({} | null)", typescript(inner(0)?)?),
        "BTreeMap" | "Map" => format!("Record<string, {}>", typescript(inner(1)?)?),
        "Value" => "unknown".to_owned(),
        "bool" => "boolean".to_owned(),
        _ if TEXTS.contains(&name) => "string".to_owned(),
        _ if NUMBERS.contains(&name) => "number".to_owned(),
        _ => name.to_owned(),
    })
}

/// A path's last name and its type arguments.
fn last(given: &Type) -> Option<(String, Vec<&Type>)> {
    let Type::Path(path) = given else {
        return None;
    };
    let segment = path.path.segments.last()?;
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(list) => list
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(inner) => Some(inner),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    Some((segment.ident.to_string(), arguments))
}

fn argument<'t>(given: &'t Type, name: &str) -> Option<&'t Type> {
    let (found, arguments) = last(given)?;
    (found == name).then(|| arguments.first().copied())?
}

fn comment(out: &mut String, indent: &str, lines: &[String]) {
    if indent.is_empty() {
        out.push('\n');
    }
    match lines {
        [] => {}
        [line] => {
            let _ = writeln!(out, "{indent}/** {line} */");
        }
        lines => {
            let _ = writeln!(out, "{indent}/**");
            for line in lines {
                let _ = writeln!(out, "{}", format!("{indent} * {line}").trim_end());
            }
            let _ = writeln!(out, "{indent} */");
        }
    }
}
