//! `deem_fuzz_targets`' target of that name.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| deem_fuzz_targets::run("questionnaire", data));
