//! Names of rooms, as in `join` and in the path of stock clients (`P4`).

use std::{fmt, str::FromStr};

use deem_core::id::{DecisionId, Generation, IdError, SpaceId};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// `SPACE/DECISION`, `SPACE/DECISION@GENERATION` or `SPACE/doc/NAME`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoomName {
    /// Of which space.
    pub space: SpaceId,
    /// Which room in it.
    pub room: Room,
}

/// A room of a space.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Room {
    /// The draft of a decision; `generation` absent = the current one.
    Draft {
        /// Which decision.
        decision: DecisionId,
        /// Which draft, for good.
        generation: Option<Generation>,
    },
    /// A document room.
    Document {
        /// Its name, of the pattern of a space id.
        name: SpaceId,
    },
}

impl FromStr for RoomName {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let error = || IdError {
            what: "room (SPACE/DECISION, SPACE/DECISION@GENERATION, SPACE/doc/NAME)",
        };
        let (space, rest) = text.split_once('/').ok_or_else(error)?;
        let space = SpaceId::parse(space)?;
        let room = match rest.split_once('/') {
            Some(("doc", name)) => Room::Document {
                name: SpaceId::parse(name)?,
            },
            Some(_) => return Err(error()),
            None => match rest.split_once('@') {
                None => Room::Draft {
                    decision: DecisionId::parse(rest)?,
                    generation: None,
                },
                Some((decision, digits)) => {
                    let generation: u32 = digits.parse().map_err(|_| error())?;
                    if generation == 0 || generation.to_string() != digits {
                        return Err(error());
                    }
                    Room::Draft {
                        decision: DecisionId::parse(decision)?,
                        generation: Some(Generation(generation)),
                    }
                }
            },
        };
        Ok(Self { space, room })
    }
}

impl fmt::Display for RoomName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/", self.space)?;
        match &self.room {
            Room::Draft {
                decision,
                generation: None,
            } => write!(f, "{decision}"),
            Room::Draft {
                decision,
                generation: Some(generation),
            } => {
                write!(f, "{decision}@{generation}")
            }
            Room::Document { name } => write!(f, "doc/{name}"),
        }
    }
}

impl Serialize for RoomName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RoomName {
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
    fn names_round_trip_and_others_are_refused() {
        for text in ["s/d7", "s/d7@2", "s/question:d7", "team/doc/plan"] {
            assert_eq!(text.parse::<RoomName>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "s",
            "s/",
            "/d",
            "s/d@0",
            "s/d@01",
            "s/d@+1",
            "s/doc/a/b",
            "s/x/y",
            "s/d@",
        ] {
            assert!(text.parse::<RoomName>().is_err(), "{text}");
        }
    }
}
