//! Files whose cost is not in their size: what they name again and again is weighed, decoded once, or refused. Each ends within
//! two seconds of processor time of an optimised build; tests are compiled with little optimisation and share the machine.

use bellcrank_import::{Format, ImportFaultKind, Options, load, loads};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What is asked for is two seconds; before they were mended, these files took minutes.
const PATIENCE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 2 });

fn within_patience<T>(what: &str, f: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = f();
    assert!(start.elapsed() < PATIENCE, "{what} took {:?}", start.elapsed());
    result
}

fn usd(text: &str) -> Result<(), String> {
    loads(text, Format::Usd, &Options::default()).map(|_| ()).map_err(|error| error.to_string())
}

fn references(count: usize) -> String {
    format!("references = [{}]", vec!["</k>"; count].join(","))
}

#[test]
fn metadata_of_usd_prims_is_weighed_when_they_are_referred_to() {
    let entries: String = (0..20_000).fold(String::new(), |mut text, i| {
        let _ = write!(text, "int a{i} = 1 ");
        text
    });
    let text = format!(
        "#usda 1.0\nclass \"k\" ( customData = {{{entries}}} ) {{}}\ndef \"a\" ( {} ) {{}}\n",
        references(100_000)
    );
    let error = within_patience("metadata", || usd(&text)).unwrap_err();
    assert!(error.contains("no bodies"), "{error}");
}

#[test]
fn what_a_usd_prim_says_itself_is_weighed_with_every_reference() {
    let properties: String = (0..40_000).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "float p{i} = 1");
        text
    });
    for weak in ["", "float q = 1"] {
        let text = format!(
            "#usda 1.0\nclass \"k\" {{ {weak} }}\ndef \"a\" ( {} ) {{\n{properties}}}\n",
            references(60_000)
        );
        within_patience("properties", || usd(&text)).unwrap_err();
    }
}

#[test]
fn looking_for_usd_prims_is_weighed() {
    let prims: String = (0..60_000).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "def \"p{i}\" ( references = </last> ) {{}}");
        text
    });
    within_patience("names", || usd(&format!("#usda 1.0\n{prims}class \"last\" {{}}\n"))).unwrap_err();
}

/// References to references, two each: 2^k copies.
#[test]
fn usd_references_that_double_end() {
    let mut text = String::from("#usda 1.0\nclass \"k0\" { float x = 1 }\n");
    for k in 1..40 {
        let _ = writeln!(
            text,
            "class \"k{k}\" {{ def \"a\" (references = </k{0}>) {{}} def \"b\" (references = </k{0}>) {{}} }}",
            k - 1
        );
    }
    text += "def \"top\" (references = </k39>) {}\n";
    within_patience("doubling", || usd(&text)).unwrap_err();
}

const LINK: &str = "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>\
                    <collision><geometry><mesh filename='#'/></geometry></collision></link></robot>";

/// What becomes of a robot with this mesh, and the bytes beside it.
fn mesh(name: &str, content: impl Into<Vec<u8>>, beside: Option<(&str, Vec<u8>)>) -> Result<usize, String> {
    let mut options = Options { require_meshes: true, ..Options::default() }.file(name, content.into());
    if let Some((name, bytes)) = beside {
        options = options.file(name, bytes);
    }
    let robot = LINK.replace('#', name);
    let model = within_patience(name, || loads(&robot, Format::Urdf, &options));
    model.map(|model| model.shapes().len()).map_err(|error| error.to_string())
}

fn collada(positions: &str, faces: &str, instances: usize) -> String {
    format!(
        "<COLLADA><library_geometries><geometry id='g'><mesh><source id='p'><float_array>{positions}</float_array></source>\
         <vertices id='v'><input semantic='POSITION' source='#p'/></vertices>{faces}</mesh></geometry></library_geometries>\
         <library_visual_scenes><visual_scene><node>{}</node></visual_scene></library_visual_scenes></COLLADA>",
        "<instance_geometry url='#g'/>".repeat(instances)
    )
}

#[test]
fn collada_geometries_are_decoded_once_however_often_they_are_placed() {
    let positions = "0 0 0 1 0 0 0 1 0 0 0 1 ".repeat(15_000);
    let triangle =
        "<triangles><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2 0 2 3</p></triangles>";
    assert_eq!(mesh("a.dae", collada(&positions, triangle, 15_000), None), Ok(1));
    let error = mesh("a.dae", collada(&positions, triangle, 60_000), None).unwrap_err();
    assert!(error.contains("far too many parts"), "{error}");
    // triangles without area cost as much as others
    let flat = format!("<triangles><p>{}</p></triangles>", "0 0 0 ".repeat(10_000));
    let error = mesh("a.dae", collada("0 0 0 ", &flat, 15_000), None).unwrap_err();
    assert!(error.contains("the number of triangles"), "{error}");
}

fn gltf(primitives: &str, accessors: &str, buffers: &str) -> String {
    format!(
        "{{\"meshes\":[{{\"primitives\":[{primitives}]}}],\"accessors\":[{accessors}],\
         \"bufferViews\":[{{\"buffer\":0}}],\"buffers\":[{buffers}]}}"
    )
}

#[test]
fn gltf_accessors_and_buffers_are_decoded_once() {
    let points: Vec<u8> = [0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
        .iter()
        .cycle()
        .take(1_500_000)
        .flat_map(|x| x.to_le_bytes())
        .collect();
    let accessor = "{\"bufferView\":0,\"componentType\":5126,\"count\":500000}";
    let short = "{\"bufferView\":0,\"componentType\":5121,\"count\":3}";
    let beside = || Some(("big.bin", points.clone()));
    let file = "{\"uri\":\"big.bin\"}";
    // only points, and then triangles of three of them
    let dots = vec!["{\"attributes\":{\"POSITION\":0},\"mode\":0}"; 20_000].join(",");
    assert!(mesh("a.gltf", gltf(&dots, accessor, file), beside()).unwrap_err().contains("no triangles"));
    let few = vec!["{\"attributes\":{\"POSITION\":0},\"indices\":1}"; 20_000].join(",");
    let listed = format!("{accessor},{short}");
    mesh("a.gltf", gltf(&few, &listed, file), beside()).unwrap_err(); // all three are the same point
    // the same bytes under many numbers
    let each: Vec<String> =
        (0..2_000).map(|i| format!("{{\"attributes\":{{\"POSITION\":{i}}},\"indices\":{i}}}")).collect();
    let many = vec![accessor.replace("5126", "5121"); 2_000].join(",");
    let error = mesh("a.gltf", gltf(&each.join(","), &many, file), beside()).unwrap_err();
    assert!(error.contains("too large") || error.contains("number of"), "{error}");
    // the same file under many names
    let buffers = vec![file; 20_000].join(",");
    mesh("a.gltf", gltf(&dots, accessor, &buffers), beside()).unwrap_err();
}

#[test]
fn polygons_of_very_many_corners_end() {
    // a comb has ears only at its tips
    let mut text = String::new();
    for k in 0..2_000 {
        let _ = writeln!(text, "v {k} {} 0", if k % 2 == 0 { 0.0 } else { 100.0 + f64::from(k) });
    }
    let face: String = (1..=2_000).map(|k| format!(" {k}")).collect();
    for _ in 0..300 {
        text += &format!("f{face}\n");
    }
    let _ = mesh("a.obj", text, None);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_not_waited_for() {
    let folder = std::env::temp_dir().join(format!("bellcrank_pipe_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.join("pipe.stl")).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo is part of every Unix");
    std::fs::write(folder.join("a.urdf"), LINK.replace('#', "pipe.stl")).unwrap();
    let (told, answer) = std::sync::mpsc::channel();
    let file = folder.clone();
    // in a thread of its own: one that waits for ever would keep the test from failing
    std::thread::spawn(move || {
        let options = Options { require_meshes: true, ..Options::default() };
        let of = |name: &str| load(file.join(name), &options).map(|_| ()).unwrap_err().faults[0].kind.clone();
        let _ = told.send([of("a.urdf"), of("pipe.stl")]);
    });
    let troubles = answer.recv_timeout(PATIENCE).expect("nobody waits for a pipe");
    let _ = std::fs::remove_dir_all(&folder);
    assert!(
        matches!(&troubles[0], ImportFaultKind::Unreadable(why) if why.contains("regular")),
        "{troubles:?}"
    );
}

/// The files that were found by attacking the readers.
#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/findings/hard_cases")]
fn hard_cases_end_in_time() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/findings/hard_cases");
    let files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "usda" || ending == "urdf"))
        .collect();
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        // the buffer that the glTF file names is not among them: six megabytes of anything
        let options =
            Options { require_meshes: true, ..Options::default() }.file("big600.bin", vec![0; 6_000_000]);
        let outcome = within_patience(&file.display().to_string(), || load(&file, &options).map(|_| ()));
        println!("{}: {:?}", file.display(), outcome.map_err(|e| e.to_string()));
    }
}
