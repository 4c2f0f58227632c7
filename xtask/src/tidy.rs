//! What no compiler checks: crate arrows, file sizes, words, dependencies, and that every rule and
//! every threat has its tests.

mod arrows;
mod codes;
mod rules;
mod sizes;
mod threats;
mod words;

pub use rules::rules;

use crate::repo::Repo;

/// Runs every check, prints what each found and fails if one found a defect.
pub fn tidy(repo: &Repo) -> Result<(), String> {
    let files = repo.files()?;
    let mut defects = Vec::new();
    defects.extend(arrows::check(repo)?);
    defects.extend(codes::check(repo)?);
    defects.extend(threats::check(repo)?);
    defects.extend(crate::audit::offline(repo)?);
    defects.extend(sizes::check(repo, &files));
    defects.extend(words::check(repo, &files));
    defects.extend(rules::check(repo, &files)?);
    if defects.is_empty() {
        println!("tidy: nothing to say about {} files", files.len());
        return Ok(());
    }
    Err(format!(
        "{}\ntidy: {} to mend",
        defects.join("\n"),
        defects.len()
    ))
}
