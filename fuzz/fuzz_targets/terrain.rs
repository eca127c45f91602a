#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bellcrank_fuzz::Target::Terrain.feed(bytes));
