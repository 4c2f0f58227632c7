//! Rust items and what their serde attributes say.

use syn::{Attribute, Expr, ExprLit, File, Item, Lit, Meta};

/// A struct or enum by name; `module::Name` looks in a module of the file.
pub(super) fn find<'f>(file: &'f File, name: &str) -> Option<&'f Item> {
    let (module, name) = match name.split_once("::") {
        Some((module, name)) => (Some(module), name),
        None => (None, name),
    };
    let items = match module {
        None => &file.items,
        Some(wanted) => file.items.iter().find_map(|item| match item {
            Item::Mod(inner) if inner.ident == wanted => {
                inner.content.as_ref().map(|(_, items)| items)
            }
            _ => None,
        })?,
    };
    items.iter().find(|item| match item {
        Item::Struct(found) => found.ident == name,
        Item::Enum(found) => found.ident == name,
        _ => false,
    })
}

/// What serde is told about a type, variant or field.
#[derive(Debug, Default)]
pub(super) struct Serde {
    /// Another name.
    pub(super) rename: Option<String>,
    /// The case of the names inside.
    pub(super) rename_all: Option<String>,
    /// The case of the names of all variants' fields.
    pub(super) rename_all_fields: Option<String>,
    /// Where the name of a variant stands.
    pub(super) tag: Option<String>,
    /// May be absent.
    pub(super) optional: bool,
    /// Its fields stand in the outer object.
    pub(super) flatten: bool,
}

/// Words that change only how a type is read, or that say twice what another one says.
const READING: [&str; 4] = [
    "default",
    "deny_unknown_fields",
    "remote",
    "rename_all_fields",
];

/// Reads the attributes, those under a condition included.
pub(super) fn serde(attributes: &[Attribute]) -> Result<Serde, String> {
    let mut serde = Serde::default();
    for attribute in attributes {
        if attribute.path().is_ident("serde") {
            read_words(&mut serde, &attribute.meta)?;
        } else if attribute.path().is_ident("cfg_attr") {
            let list = attribute.meta.require_list().map_err(|e| e.to_string())?;
            let metas = list.parse_args_with(
                syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated,
            );
            for meta in metas.map_err(|e| e.to_string())? {
                if meta.path().is_ident("serde") {
                    read_words(&mut serde, &meta)?;
                }
            }
        }
    }
    Ok(serde)
}

fn read_words(serde: &mut Serde, meta: &Meta) -> Result<(), String> {
    let list = meta.require_list().map_err(|e| e.to_string())?;
    let words = list
        .parse_args_with(syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated)
        .map_err(|e| e.to_string())?;
    for word in words {
        let name = word
            .path()
            .get_ident()
            .map(ToString::to_string)
            .unwrap_or_default();
        let value = match &word {
            Meta::NameValue(pair) => literal(&pair.value),
            _ => None,
        };
        match name.as_str() {
            "rename" => serde.rename = value,
            "rename_all" => serde.rename_all = value,
            "rename_all_fields" => serde.rename_all_fields = value,
            "tag" => serde.tag = value,
            "skip_serializing_if" => serde.optional = true,
            "flatten" => serde.flatten = true,
            known if READING.contains(&known) => {}
            _ => return Err(format!("serde({name}) is not understood")),
        }
    }
    Ok(())
}

fn literal(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

/// The doc comment, as lines.
pub(super) fn doc(attributes: &[Attribute]) -> Vec<String> {
    let lines = attributes.iter().filter(|a| a.path().is_ident("doc"));
    let text = lines.filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) => literal(&pair.value),
        _ => None,
    });
    text.map(|line| line.trim().replace("[`", "`").replace("`]", "`"))
        .collect()
}

/// A name in the case that serde was told; a variant's own is `PascalCase`, a field's `snake_case`.
pub(super) fn cased(name: &str, case: Option<&str>) -> Result<String, String> {
    let mut words: Vec<String> = Vec::new();
    for letter in name.chars() {
        if letter == '_' {
            words.push(String::new());
        } else if letter.is_uppercase() || words.is_empty() {
            words.push(letter.to_lowercase().collect());
        } else if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    let capital = |word: &String| {
        let mut letters = word.chars();
        let first = letters
            .next()
            .map(|letter| letter.to_uppercase().to_string());
        first.unwrap_or_default() + letters.as_str()
    };
    Ok(match case {
        None => name.to_owned(),
        Some("lowercase") => words.concat(),
        Some("kebab-case") => words.join("-"),
        Some("snake_case") => words.join("_"),
        Some("camelCase") => words
            .iter()
            .enumerate()
            .map(|(at, word)| if at == 0 { word.clone() } else { capital(word) })
            .collect(),
        Some(other) => return Err(format!("the case {other} is not understood")),
    })
}
