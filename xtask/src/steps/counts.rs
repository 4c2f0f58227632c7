//! How many tests passed and failed, read from what test runners print.

/// Tests of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// That passed.
    pub passed: usize,
    /// That failed.
    pub failed: usize,
}

impl Counts {
    /// Adds up the summaries of nextest, libtest, wasm-bindgen-test, `node --test` and our mutants.
    pub fn read(log: &str) -> Self {
        let mut counts = Self::default();
        for line in log.lines() {
            // nextest shows what a failed test said, indented; its own summary counts that test.
            if line.starts_with(' ') && line.trim_start().starts_with("test result:") {
                continue;
            }
            let words: Vec<&str> = line
                .split([' ', ',', ';'])
                .filter(|w| !w.is_empty())
                .collect();
            match words.as_slice() {
                // "Summary [ 1.2s] 3 tests run: 2 passed, 1 failed, 0 skipped"
                ["Summary", ..] | ["test", "result:", ..] => {
                    counts.passed += number_before(&words, "passed");
                    counts.failed += number_before(&words, "failed");
                }
                ["#" | "\u{2139}", "pass", number] => counts.passed += parse(number),
                ["#" | "\u{2139}", "fail", number] => counts.failed += parse(number),
                ["killed", ..] => counts.passed += 1,
                ["SURVIVED" | "BROKEN", ..] => counts.failed += 1,
                _ => {}
            }
        }
        counts
    }
}

fn number_before(words: &[&str], word: &str) -> usize {
    words
        .windows(2)
        .find(|pair| pair[1] == word)
        .map_or(0, |pair| parse(pair[0]))
}

fn parse(number: &str) -> usize {
    number.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_runner() {
        for (line, passed, failed) in [
            (
                "     Summary [   0.123s] 5 tests run: 4 passed, 1 failed, 2 skipped",
                4,
                1,
            ),
            (
                "     Summary [   9.1s] 5 tests run: 5 passed (1 slow), 2 skipped",
                5,
                0,
            ),
            (
                "test result: ok. 7 passed; 0 failed; 0 ignored; 0 filtered out; finished in 0.1s",
                7,
                0,
            ),
            ("test result: FAILED. 3 passed; 2 failed; 0 ignored", 3, 2),
            (
                "    test result: FAILED. 0 passed; 1 failed; 0 ignored",
                0,
                0,
            ),
            ("# pass 6", 6, 0),
            ("\u{2139} fail 2", 0, 2),
            ("killed    D4.4   second_save (settles_once) ", 1, 0),
            (
                "SURVIVED  D4.4   second_save (settles_once) its test passes",
                0,
                1,
            ),
            ("a line about 3 passed and 4 failed", 0, 0),
        ] {
            assert_eq!(Counts::read(line), Counts { passed, failed }, "{line}");
        }
    }
}
