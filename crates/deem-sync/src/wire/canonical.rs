//! RFC 8785: one byte form of a JSON value, for comparing the bodies of a retried operation.

use serde_json::{Number, Value};
use sha2::{Digest as _, Sha256};

/// SHA-256 of the RFC 8785 form of `value`.
pub fn canonical_sha256(value: &Value) -> [u8; 32] {
    let mut text = String::new();
    put(&mut text, value);
    Sha256::digest(text.as_bytes()).into()
}

/// The RFC 8785 form of `value`.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    put(&mut text, value);
    text
}

fn put(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(&number_text(number)),
        Value::String(text) => put_text(out, text),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                put(out, item);
            }
            out.push(']');
        }
        Value::Object(map) => {
            // RFC 8785 orders names by UTF-16 units, which is not the order of their bytes.
            let mut names: Vec<(Vec<u16>, &String, &Value)> = map
                .iter()
                .map(|(name, value)| (name.encode_utf16().collect(), name, value))
                .collect();
            names.sort_by(|a, b| a.0.cmp(&b.0));
            out.push('{');
            for (at, (_, name, value)) in names.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                put_text(out, name);
                out.push(':');
                put(out, value);
            }
            out.push('}');
        }
    }
}

fn put_text(out: &mut String, text: &str) {
    // serde_json escapes exactly what RFC 8785 does: quote, backslash, controls (short forms first,
    // lower-case hex).
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// ECMAScript's Number-to-string of the nearest double.
fn number_text(number: &Number) -> String {
    const SAFE: u64 = 1 << 53;
    if let Some(whole) = number.as_i64().filter(|whole| whole.unsigned_abs() <= SAFE) {
        return whole.to_string();
    }
    let value = number.as_f64().unwrap_or(0.0);
    if value == 0.0 {
        return "0".to_owned();
    }
    // `{:e}` gives the shortest digits that read back: `-1.25e-7`.
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let count = i32::try_from(digits.len()).unwrap_or(0);
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or(0));
    let point = exponent.saturating_add(1);
    let body = if (count..=21).contains(&point) {
        format!("{digits}{}", zeros(point.saturating_sub(count)))
    } else if (1..=21).contains(&point) {
        let (whole, rest) = digits.split_at(usize::try_from(point).unwrap_or(0));
        format!("{whole}.{rest}")
    } else if (-5..=0).contains(&point) {
        format!("0.{}{digits}", zeros(point.saturating_neg()))
    } else {
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let plus = if exponent < 0 { "" } else { "+" };
        format!("{first}{dot}{rest}e{plus}{exponent}")
    };
    format!("{sign}{body}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number samples of RFC 8785, appendix B, and its ordering sample of section 3.2.3.
    #[test]
    fn follows_the_samples_of_the_rfc() {
        for (bits, text) in [
            (0x0000_0000_0000_0000_u64, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        ] {
            let number = Number::from_f64(f64::from_bits(bits)).unwrap();
            assert_eq!(number_text(&number), text);
        }
        let value: Value = serde_json::from_str(
            r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#,
        )
        .unwrap();
        let order: Vec<usize> = [
            "Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew",
        ]
        .iter()
        .map(|word| canonical(&value).find(word).unwrap())
        .collect();
        assert!(order.is_sorted(), "{order:?}");
    }
}
