//! Static files of `--web DIR`: what is in the folder, and nothing beside it.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use crate::ServeError;

/// A folder that is served at `/`.
#[derive(Debug, Clone)]
pub(crate) struct Web {
    root: PathBuf,
}

/// One file, read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// Its MIME type.
    pub(crate) mime: &'static str,
    /// Changes when the file does.
    pub(crate) etag: String,
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
}

impl Web {
    /// The folder must be there; its real path is what files are held against.
    pub(crate) fn new(folder: &Path) -> Result<Self, ServeError> {
        let root = folder
            .canonicalize()
            .and_then(|root| match root.is_dir() {
                true => Ok(root),
                false => Err(io::Error::from(io::ErrorKind::NotADirectory)),
            })
            .map_err(|error| ServeError::Web(folder.to_owned(), error))?;
        Ok(Self { root })
    }

    /// Reads the file that a request path names; a folder means its `index.html`. Blocks.
    ///
    /// `None`: there is none, or it would lie outside the folder (links out included).
    pub(crate) fn read(&self, request_path: &str) -> Option<Page> {
        let mut path = self.root.clone();
        let decoded = percent_decode(request_path)?;
        for part in decoded.split('/').filter(|part| !part.is_empty()) {
            // Hidden files are no pages, and `.` and `..` are hidden in this sense.
            if part.starts_with('.') || part.contains(['\\', '\0', ':']) {
                return None;
            }
            path.push(part);
        }
        if path.is_dir() {
            path.push("index.html");
        }
        let path = path.canonicalize().ok()?;
        if !path.starts_with(&self.root) {
            return None;
        }
        let about = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let modified = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let bytes = fs::read(&path).ok()?;
        Some(Page {
            mime: mime(&path),
            etag: format!("\"{:x}-{:x}\"", modified.as_nanos(), bytes.len()),
            bytes,
        })
    }
}

/// The text that a request path stands for; `None`: a broken escape, or no UTF-8.
pub(crate) fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let (digits, tail) = rest.split_first_chunk::<2>()?;
        let digits = std::str::from_utf8(digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = tail;
    }
    String::from_utf8(bytes).ok()
}

fn mime(path: &Path) -> &'static str {
    let extension = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "html" | "htm" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("site");
        fs::create_dir_all(root.join("assets")).unwrap();
        fs::write(root.join("index.html"), "<p>home").unwrap();
        fs::write(root.join("assets/engine.wasm"), [0, 97]).unwrap();
        fs::write(root.join("assets/a b.js"), "1").unwrap();
        fs::write(root.join(".secret"), "hidden").unwrap();
        fs::write(folder.path().join("outside.txt"), "outside").unwrap();
        std::os::unix::fs::symlink("../outside.txt", root.join("link.txt")).unwrap();
        folder
    }

    #[test]
    fn serves_files_with_their_types() {
        let folder = folder();
        let web = Web::new(&folder.path().join("site")).unwrap();
        for (path, mime) in [
            ("/", "text/html; charset=utf-8"),
            ("/index.html", "text/html; charset=utf-8"),
            ("/assets/engine.wasm", "application/wasm"),
            ("/assets/a%20b.js", "text/javascript; charset=utf-8"),
        ] {
            assert_eq!(web.read(path).map(|page| page.mime), Some(mime), "{path}");
        }
    }

    #[test]
    fn serves_nothing_outside_its_folder() {
        let folder = folder();
        let web = Web::new(&folder.path().join("site")).unwrap();
        for path in [
            "/nothing",
            "/../outside.txt",
            "/assets/../../outside.txt",
            "/%2e%2e/outside.txt",
            "/..%2foutside.txt",
            "/assets/%2e%2e%2f%2e%2e%2foutside.txt",
            "/..\\outside.txt",
            "/link.txt",
            "/.secret",
            "/index.html%00",
            "/%ff",
            "/%2",
            "//etc/passwd",
            "/assets",
        ] {
            assert_eq!(web.read(path), None, "{path}");
        }
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = Web::new(Path::new("/no/such/site")).unwrap_err();
        assert!(error.to_string().contains("/no/such/site"));
    }
}
