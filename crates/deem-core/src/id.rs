//! Names of things: one newtype each, made by one fallible constructor.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why a string is no id: it does not fit the pattern its type documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdError {
    /// What the string should have been, e.g. `"space"`.
    pub what: &'static str,
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a well-formed {}", self.what)
    }
}

impl std::error::Error for IdError {}

fn word(text: &str, min: usize, max: usize, extra: &str) -> bool {
    (min..=max).contains(&text.len())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-' || extra.contains(c))
}

macro_rules! string_id {
    ($(#[$doc:meta])* $name:ident, $what:literal, $valid:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Takes `text` if it fits the pattern of this type, unchanged.
            pub fn parse(text: impl Into<String>) -> Result<Self, IdError> {
                let text = text.into();
                let valid: fn(&str) -> bool = $valid;
                if valid(&text) { Ok(Self(text)) } else { Err(IdError { what: $what }) }
            }

            /// The text it was made from.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::parse(text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::parse(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
            }
        }
    };
}

string_id!(
    /// What is shared together: `[A-Za-z0-9_-]{1,64}` (`P0`).
    SpaceId, "space id", |t| word(t, 1, 64, "")
);
string_id!(
    /// A decision's record: `[A-Za-z0-9_:-]{1,64}` (`P0`).
    DecisionId, "decision id", |t| word(t, 1, 64, ":")
);
string_id!(
    /// A client-made operation id: 8..=64 of `[A-Za-z0-9_-]`, scoped to space and person (`P2`).
    OpId, "operation id", |t| word(t, 8, 64, "")
);
string_id!(
    /// The key of an appended option or criterion: 8..=64 of `[A-Za-z0-9_-]` (`D6.2`).
    Key, "key", |t| word(t, 8, 64, "")
);
string_id!(
    /// A person: 1..=128 characters, none of them control or white space (`P8`).
    Person, "person", |t| {
        let count = t.chars().count();
        (1..=128).contains(&count)
            && t.chars().all(|c| !c.is_control() && !crate::text::is_white_space(c))
    }
);

macro_rules! row_id {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        string_id!(
            $(#[$doc])*
            ///
            /// Stored records may hold any non-empty text of at most 200 bytes (`D1.3`); new ones
            /// and everything a criterion touches fit [`Self::is_strict`].
            $name, $what, |t| !t.is_empty() && t.len() <= 200
        );

        impl $name {
            /// Whether it matches `^[A-Za-z0-9_-]{1,64}$` (`D1.4`).
            pub fn is_strict(&self) -> bool {
                word(&self.0, 1, 64, "")
            }
        }
    };
}

row_id!(
    /// One question of a definition.
    QuestionId, "question id"
);
row_id!(
    /// One option: a row of the matrix.
    OptionId, "option id"
);
row_id!(
    /// One criterion: a column of the matrix.
    CriterionId, "criterion id"
);

/// One cell of the matrix, written `optionId/criterionId`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// The row.
    pub option: OptionId,
    /// The column.
    pub criterion: CriterionId,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.option, self.criterion)
    }
}

impl FromStr for Cell {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let error = IdError { what: "cell" };
        let (option, criterion) = text.split_once('/').ok_or(error.clone())?;
        let option = OptionId::parse(option)?;
        let criterion = CriterionId::parse(criterion)?;
        if option.is_strict() && criterion.is_strict() {
            Ok(Self { option, criterion })
        } else {
            Err(error)
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// 1 + the number of earlier settled answers of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Generation(pub u32);

impl Generation {
    /// The generation of a decision that was never settled.
    pub const FIRST: Self = Self(1);

    /// The one a reopen starts.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// SHA-256 of canonical content, shown as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let error = IdError { what: "digest" };
        let digits: Vec<u8> = text
            .chars()
            .map(|c| match c {
                '0'..='9' | 'a'..='f' => c.to_digit(16).and_then(|d| u8::try_from(d).ok()),
                _ => None,
            })
            .collect::<Option<_>>()
            .ok_or(error.clone())?;
        let bytes: Vec<u8> = digits
            .chunks_exact(2)
            .filter_map(|pair| Some((pair.first()? << 4) | pair.get(1)?))
            .collect();
        if digits.len() != 64 {
            return Err(error);
        }
        bytes.try_into().map(Self).map_err(|_| error)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// An instant of the relay's clock, UTC milliseconds since 1970; RFC 3339 with ms on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At(pub u64);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, ms) = (self.0 / 86_400_000, self.0 % 86_400_000);
        let (year, month, day) = civil_from_days(days);
        let (seconds, ms) = (ms / 1000, ms % 1000);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z"
        )
    }
}

/// Days since 1970-01-01 to (year, month, day): Howard Hinnant's `civil_from_days`, for days >= 0.
fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

/// (year, month, day) to days since 1970-01-01, for years from 1970.
fn days_from_civil(year: u64, month: u64, day: u64) -> Option<u64> {
    let year = if month <= 2 {
        year.checked_sub(1)?
    } else {
        year
    };
    let era = year / 400;
    let year_of_era = year % 400;
    let shifted_month = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * 146_097 + day_of_era).checked_sub(719_468)
}

impl FromStr for At {
    type Err = IdError;

    /// Reads `YYYY-MM-DDTHH:MM:SS[.fff]Z` exactly; years 1970..=9999.
    fn from_str(text: &str) -> Result<Self, IdError> {
        let error = IdError {
            what: "UTC instant (YYYY-MM-DDTHH:MM:SS.mmmZ)",
        };
        let number = |range: std::ops::Range<usize>| -> Option<u64> {
            let digits = text.get(range)?;
            if digits.bytes().all(|b| b.is_ascii_digit()) {
                digits.parse().ok()
            } else {
                None
            }
        };
        let read = || -> Option<u64> {
            let marks = text.get(4..5)? == "-"
                && text.get(7..8)? == "-"
                && text.get(10..11)? == "T"
                && text.get(13..14)? == ":"
                && text.get(16..17)? == ":";
            let ms = match text.get(19..)? {
                "Z" => 0,
                rest if rest.len() == 5 && rest.starts_with('.') && rest.ends_with('Z') => {
                    number(20..23)?
                }
                _ => return None,
            };
            let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
            let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
            if !marks || !(1..=12).contains(&month) || day == 0 || year < 1970 {
                return None;
            }
            if hour > 23 || minute > 59 || second > 59 {
                return None;
            }
            let days = days_from_civil(year, month, day)?;
            // A day that the month does not have comes back as another date.
            if civil_from_days(days) != (year, month, day) {
                return None;
            }
            Some(((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + ms)
        };
        read().map(Self).ok_or(error)
    }
}

impl Serialize for At {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for At {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_round_trip() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_796_032_931_007, "2026-11-30T10:02:11.007Z"),
        ] {
            assert_eq!(At(ms).to_string(), text);
            assert_eq!(text.parse(), Ok(At(ms)));
        }
        for bad in [
            "2026-02-29T00:00:00Z",
            "2026-11-30",
            "2026-11-30T10:02:11+01:00",
            "",
        ] {
            assert!(bad.parse::<At>().is_err(), "{bad}");
        }
    }
}
