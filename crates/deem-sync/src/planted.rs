//! Defects that are built in on purpose, one at a time, to see that the simulation notices them.
//!
//! Only with the feature `planted`, which no shipped build has. A switch is one condition where the
//! defect would be made; none is on until [`plant`] says so for this thread.

use std::cell::Cell;

/// One defect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// Every other group is taken for durable and handed over only with the one after it.
    NoFsync,
    /// What waits for a group leaves when the group is handed over.
    AckBeforeFsync,
    /// Of what waits for a group only the first few leave.
    DropOnFullQueue,
    /// A retry of an operation that is on its way to the disk is applied again.
    DoubleApply,
    /// A Save settles whatever revision it names.
    StaleSaveAccepted,
    /// An edit of an earlier generation is taken.
    WrongGenerationAccepted,
    /// A commit goes without the outcome of its operation.
    OutcomeNotStored,
    /// An operation id that was used for another request is taken for a retry.
    IdReuse,
}

/// All of them.
pub const BUGS: [Bug; 8] = [
    Bug::NoFsync,
    Bug::AckBeforeFsync,
    Bug::DropOnFullQueue,
    Bug::DoubleApply,
    Bug::StaleSaveAccepted,
    Bug::WrongGenerationAccepted,
    Bug::OutcomeNotStored,
    Bug::IdReuse,
];

/// How much waits for a group under [`Bug::DropOnFullQueue`].
pub(crate) const QUEUE_MAX: usize = 8;

impl Bug {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoFsync => "no fsync",
            Self::AckBeforeFsync => "ack before fsync",
            Self::DropOnFullQueue => "drop on a full queue",
            Self::DoubleApply => "double apply",
            Self::StaleSaveAccepted => "stale save accepted",
            Self::WrongGenerationAccepted => "wrong generation accepted",
            Self::OutcomeNotStored => "outcome not stored",
            Self::IdReuse => "id reuse",
        }
    }
}

thread_local! {
    static PLANTED: Cell<Option<Bug>> = const { Cell::new(None) };
}

/// Switches one on in this thread, or all off.
pub fn plant(bug: Option<Bug>) {
    PLANTED.set(bug);
}

/// Whether it is on.
pub(crate) fn is(bug: Bug) -> bool {
    PLANTED.get() == Some(bug)
}
