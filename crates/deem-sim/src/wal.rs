//! The store's log file between a write and its sync: what a crash leaves of it.

use deem_sync::server::Commit;

/// One piece of the file.
#[derive(Debug)]
enum Frame {
    Commit(Box<Commit>),
    /// The last frame of a transaction: without it nothing of the transaction counts.
    End,
}

/// What was written since the last sync.
#[derive(Debug, Default)]
pub struct Wal {
    frames: Vec<Frame>,
}

impl Wal {
    /// Writes a group as one transaction, unsynced.
    pub fn write(&mut self, commits: Vec<Commit>) {
        let commits = commits.into_iter().map(|one| Frame::Commit(Box::new(one)));
        self.frames = commits.chain([Frame::End]).collect();
    }

    /// How many pieces a crash can leave.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// A crash: only the first `kept` pieces had reached the disk.
    pub fn tear(&mut self, kept: usize) {
        self.frames.truncate(kept);
    }

    /// What the store finds when it is opened again: the transaction whole, or nothing of it.
    pub fn recover(&mut self) -> Vec<Commit> {
        let frames = std::mem::take(&mut self.frames);
        if !matches!(frames.last(), Some(Frame::End)) {
            return Vec::new();
        }
        let commits = frames.into_iter().filter_map(|frame| match frame {
            Frame::Commit(commit) => Some(*commit),
            Frame::End => None,
        });
        commits.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SIM-3: a torn transaction is nothing, a whole one is there although nobody was told.
    #[test]
    fn a_transaction_is_whole_or_nothing() {
        for kept in 0..=3 {
            let mut wal = Wal::default();
            wal.write(vec![Commit::default(), Commit::default()]);
            assert_eq!(wal.len(), 3);
            wal.tear(kept);
            let found = if kept == 3 { 2 } else { 0 };
            assert_eq!(wal.recover().len(), found, "{kept} kept");
            assert!(wal.recover().is_empty(), "it is found once");
        }
    }
}
