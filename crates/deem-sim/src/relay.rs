//! The relay: one space over a disk, whose groups become durable when the world says so.

use std::{cell::RefCell, rc::Rc};

use deem_core::id::SpaceId;
use deem_sync::server::{Group, GroupResult, Now, Output, Space, SpaceConfig};

use crate::{
    dice::Dice,
    disk::{Disk, DiskLoader},
};

/// The one space of every world.
pub const SPACE: &str = "sim";

/// A life of the relay; the disk outlives it.
pub struct Relay {
    /// The machine.
    pub space: Space,
    /// On its way to the disk.
    pub group: Option<Group>,
}

impl Relay {
    /// Starts from the disk. `life` makes its randomness another one.
    ///
    /// # Errors
    /// When the disk cannot be read: then a commit was made that nothing can be rebuilt from.
    pub fn start(disk: &Rc<RefCell<Disk>>, life: u64) -> Result<Self, String> {
        let mut dice = Dice::new(life ^ 0x5eed_0000);
        let mut room = 0;
        let config = SpaceConfig {
            space: SpaceId::parse(SPACE).map_err(|error| error.to_string())?,
            mint: Box::new(move |bytes: &mut [u8]| {
                deem_sync::client::Random::fill(&mut dice, bytes);
            }),
            room_number: Box::new(move || {
                room += 1;
                room
            }),
            project: Box::new(|record| deem_formats::write(&record.into())),
        };
        let loader = DiskLoader(Rc::clone(disk));
        let space = Space::new(config, Box::new(loader)).map_err(|error| error.0)?;
        Ok(Self { space, group: None })
    }

    /// What a turn gives; its group is kept on its way to the disk.
    pub fn take(&mut self) -> Output {
        let mut output = self.space.take();
        if let Some(group) = output.group.take() {
            self.group = Some(group);
        }
        output
    }

    /// The group on its way has ended.
    pub fn committed(&mut self, now: Now, group: &Group, result: GroupResult) {
        self.space.committed(now, group.id, result);
    }
}
