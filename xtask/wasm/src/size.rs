//! Sizes of what is shipped, raw and compressed, beside their budgets.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use crate::pins::{Budget, Pins};

/// Bytes of one file.
struct Sizes {
    raw: usize,
    gzip: usize,
    brotli: usize,
}

/// Prints a row a file of the engine's folder and of every budget.
///
/// # Errors
/// A sentence that names the files over budget, or one that is not there.
pub fn size(root: &Path, pins: &Pins) -> Result<(), String> {
    println!("{:>9} {:>9} {:>9}  file", "raw", "gzip", "brotli");
    let mut over = Vec::new();
    for file in files(root, pins)? {
        let sizes = measure(&root.join(&file))
            .map_err(|e| format!("{}: {e}; run `cargo xtask wasm` first", file.display()))?;
        let mut note = String::new();
        for budget in pins.budget.iter().filter(|budget| budget.file == file) {
            note.push_str(&judge(budget, &sizes, &mut over));
        }
        let Sizes { raw, gzip, brotli } = sizes;
        println!("{raw:>9} {gzip:>9} {brotli:>9}  {}{note}", file.display());
    }
    over.extend(bundles(root, pins)?);
    if over.is_empty() {
        Ok(())
    } else {
        Err(over.join("\n"))
    }
}

/// Bundles and measures the entries of the npm package; one sentence for each over its bound.
fn bundles(root: &Path, pins: &Pins) -> Result<Vec<String>, String> {
    let out = root.join("target/xtask/bundle.js");
    let mut over = Vec::new();
    for bundle in &pins.bundle {
        let status = Command::new("node")
            .current_dir(root)
            .arg("xtask/wasm/bundle.mjs")
            .args([&bundle.entry, &out])
            .args(&bundle.external)
            .status()
            .map_err(|e| format!("node: {e}"))?;
        if !status.success() {
            return Err(format!(
                "{} cannot be bundled: build the npm package first (npm run build in www)",
                bundle.entry.display()
            ));
        }
        let sizes = measure(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        let (max, goal) = (bundle.gzip_bytes_max, bundle.gzip_bytes_goal);
        let goal = goal.map_or(String::new(), |goal| format!(", goal {goal}"));
        let Sizes { raw, gzip, brotli } = sizes;
        let (name, why) = (&bundle.name, &bundle.why);
        println!("{raw:>9} {gzip:>9} {brotli:>9}  {name}  (gzip budget {max}{goal}: {why})");
        if gzip > max {
            over.push(format!(
                "{name} has {gzip} bytes after gzip, its budget is {max}"
            ));
        }
    }
    Ok(over)
}

/// Every file of the engine's folder, then the budgeted files elsewhere; sorted.
fn files(root: &Path, pins: &Pins) -> Result<Vec<PathBuf>, String> {
    let dir = root.join(&pins.bindgen.out_dir);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&dir)
        .map_err(|e| format!("{}: {e}; run `cargo xtask wasm` first", dir.display()))?
        .filter_map(|entry| Some(pins.bindgen.out_dir.join(entry.ok()?.file_name())))
        .filter(|file| file.extension().is_some_and(|e| e == "js" || e == "wasm"))
        .chain(pins.budget.iter().map(|budget| budget.file.clone()))
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}

fn measure(file: &Path) -> std::io::Result<Sizes> {
    let bytes = std::fs::read(file)?;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(&bytes)?;
    let mut brotli = Vec::new();
    let best = brotli::enc::BrotliEncoderParams {
        quality: 11,
        lgwin: 22,
        ..Default::default()
    };
    brotli::BrotliCompress(&mut bytes.as_slice(), &mut brotli, &best)?;
    Ok(Sizes {
        raw: bytes.len(),
        gzip: gzip.finish()?.len(),
        brotli: brotli.len(),
    })
}

/// What to print behind the file; one sentence into `over` for each bound that is passed.
fn judge(budget: &Budget, sizes: &Sizes, over: &mut Vec<String>) -> String {
    let mut note = String::new();
    for (kind, bytes, max) in [
        ("brotli", sizes.brotli, budget.brotli_bytes_max),
        ("gzip", sizes.gzip, budget.gzip_bytes_max),
    ] {
        let Some(max) = max else { continue };
        let goal = budget.brotli_bytes_goal.filter(|_| kind == "brotli");
        let goal = goal.map_or(String::new(), |goal| format!(", goal {goal}"));
        note.push_str(&format!("  ({kind} budget {max}{goal}: {})", budget.why));
        if bytes > max {
            over.push(format!(
                "{} has {bytes} bytes after {kind}, its budget is {max}",
                budget.file.display()
            ));
        }
    }
    note
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_over_its_budget_is_named() {
        let budget = |brotli, gzip| Budget {
            file: PathBuf::from("engine.wasm"),
            brotli_bytes_max: brotli,
            brotli_bytes_goal: None,
            gzip_bytes_max: gzip,
            why: "smaller is better".into(),
        };
        let sizes = Sizes {
            raw: 100,
            gzip: 60,
            brotli: 50,
        };
        let mut over = Vec::new();
        assert!(judge(&budget(Some(50), Some(60)), &sizes, &mut over).contains("budget 50"));
        assert_eq!(over.len(), 0);
        judge(&budget(Some(49), Some(59)), &sizes, &mut over);
        assert_eq!(over.len(), 2, "{over:?}");
    }
}
