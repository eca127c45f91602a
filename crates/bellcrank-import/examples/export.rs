//! Writes a robot or a shipped mechanism in another format.
//!
//! `cargo run -p bellcrank-import --example export -- four_bar mjcf > four_bar.xml`

use bellcrank_import::{Options, load, to_mjcf, to_urdf, to_usd};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(format)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: export FILE|NAME urdf|mjcf|usda");
        std::process::exit(2);
    };
    let model = match bellcrank_model::library::by_name(&name) {
        Some(builder) => builder.build().map_err(Into::into),
        None => load(&name, &Options::default()),
    };
    let model = model.unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(1);
    });
    let exported = match format.as_str() {
        "urdf" => to_urdf(&model),
        "usda" => to_usd(&model),
        _ => to_mjcf(&model),
    };
    println!("{}", exported.text);
    for (name, bytes) in &exported.files {
        if let Err(error) = std::fs::write(name, bytes) {
            eprintln!("{name}: {error}");
        }
    }
    exported.left_out.iter().for_each(|what| eprintln!("left out: {what}"));
}
