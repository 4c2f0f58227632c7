//! xtask
fn main() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let command = match std::env::args().nth(1).as_deref() {
        Some("wasm") => "build",
        Some("size") => "size",
        _ => {
            eprintln!("cargo xtask wasm|size");
            std::process::exit(2)
        }
    };
    let status = std::process::Command::new("cargo")
        .current_dir(root)
        .args(["run", "--quiet", "-p", "xtask-wasm", "--", command])
        .status()
        .expect("cargo runs");
    std::process::exit(status.code().unwrap_or(1));
}
