//! Files that mean harm end in an error, quickly and without much memory.

use bellcrank_import::{Format, ImportFaultKind, Limits, Options, load, loads};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// All of it takes a second on an idle machine; what hangs takes for ever.
const PATIENCE: Duration = Duration::from_secs(20);

fn kind(text: &str) -> ImportFaultKind {
    let start = Instant::now();
    let error = loads(text, Format::Urdf, &Options::default()).map(|_| ()).unwrap_err();
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    error.faults[0].kind.clone()
}

#[test]
fn entity_bombs_do_not_go_off() {
    let bomb = "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>\
                <!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'>]><robot name='&c;'/>";
    assert_eq!(kind(bomb), ImportFaultKind::DocumentType);
}

#[test]
fn deep_nesting_is_refused() {
    assert_eq!(kind(&"<robot>".repeat(100_000)), {
        ImportFaultKind::Malformed("the root node was opened but never closed".into())
    });
    let deep = "<robot>".repeat(100_000) + &"</robot>".repeat(100_000);
    assert_eq!(kind(&deep), ImportFaultKind::TooDeep(128));
}

#[test]
fn very_many_elements_are_refused() {
    let many = format!("<robot name='r'>{}</robot>", "<a/>".repeat(1_100_000));
    assert!(matches!(kind(&many), ImportFaultKind::TooLarge { .. }));
}

#[test]
fn very_many_faults_are_not_all_listed() {
    let many = format!("<robot name='r'>{}</robot>", "<link/>".repeat(300_000));
    let error = loads(&many, Format::Urdf, &Options::default()).map(|_| ()).unwrap_err();
    assert!(error.faults.len() <= 10_001);
    assert!(error.to_string().len() < 100_000);
}

#[test]
fn a_file_above_the_limit_is_refused_before_it_is_parsed() {
    let limits = Limits { text_bytes: 100, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let error = loads(&" ".repeat(101), Format::Urdf, &options).unwrap_err();
    assert!(matches!(error.faults[0].kind, ImportFaultKind::TooLarge { found: 101, limit: 100, .. }));
}

/// A chain of 20 000 links is legal, if odd.
#[test]
fn long_chains_do_not_use_up_the_stack() {
    let inertial = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";
    let mut text = format!("<robot name='r'><link name='l0'>{inertial}</link>");
    for i in 1..20_000 {
        let before = i - 1;
        text += &format!(
            "<link name='l{i}'/><joint name='j{i}' type='fixed'><parent link='l{before}'/><child link='l{i}'/></joint>"
        );
    }
    let start = Instant::now();
    let model = loads(&(text + "</robot>"), Format::Urdf, &Options::default()).unwrap();
    assert_eq!((model.bodies().len(), model.sites().len()), (1, 19_999));
    assert!(start.elapsed() < PATIENCE);
}

fn chain(count: usize, closing: &str) -> String {
    let inertial = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";
    let mut text = format!("<robot name='r'><link name='l0'>{inertial}</link>");
    for i in 1..count {
        let before = i - 1;
        text += &format!(
            "<link name='l{i}'>{inertial}</link><joint name='j{i}' type='continuous'><parent link='l{before}'/>\
             <child link='l{i}'/><mimic joint='none'/></joint>{}",
            closing.replace('#', &i.to_string())
        );
    }
    text + "</robot>"
}

#[test]
fn mechanisms_beyond_all_measure_are_refused_before_they_are_analysed() {
    assert!(matches!(kind(&chain(12_000, "")), ImportFaultKind::TooLarge { .. }));
    let closing = "<loop_joint name='c#' type='spherical'><parent link='l0'/><child link='l#'/></loop_joint>";
    assert!(matches!(kind(&chain(2_000, closing)), ImportFaultKind::TooLarge { .. }));
}

/// Each of very many wrong names is compared with very many right ones, unless someone takes care.
#[test]
fn very_many_wrong_names_do_not_take_for_ever() {
    let wrong = "<joint name='k#' type='fixed'><parent link='nobody#'/><child link='noone#'/></joint>";
    let start = Instant::now();
    assert!(loads(&chain(12_000, wrong), Format::Urdf, &Options::default()).is_err());
    assert!(start.elapsed() < PATIENCE);
}

/// A folder of its own for one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("bellcrank_{name}_{}", std::process::id()));
        std::fs::create_dir_all(path.join("robot/inside")).unwrap();
        Folder(path)
    }

    /// What becomes of a robot in `robot/` whose mesh has this name.
    fn mesh(&self, name: &str) -> Result<usize, ImportFaultKind> {
        let robot = format!(
            "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>\
             <visual><geometry><mesh filename='{name}'/></geometry></visual></link></robot>"
        );
        let file = self.0.join("robot/robot.urdf");
        std::fs::write(&file, robot).unwrap();
        let options = Options { require_meshes: true, ..Options::default() };
        load(&file, &options).map(|model| model.shapes().len()).map_err(|e| e.faults[0].kind.clone())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

#[test]
fn only_files_of_the_models_own_folders_are_read() {
    let folder = Folder::new("paths");
    std::fs::write(folder.0.join("secret.obj"), TRIANGLE).unwrap();
    std::fs::write(folder.0.join("robot/inside/mesh.obj"), TRIANGLE).unwrap();
    assert_eq!(folder.mesh("inside/mesh.obj"), Ok(1));
    assert_eq!(folder.mesh("inside/../inside/mesh.obj"), Ok(1));
    assert_eq!(folder.mesh("package://robot/inside/mesh.obj"), Ok(1));
    let outside = |name: &str| matches!(folder.mesh(name), Err(ImportFaultKind::OutsideFolder(_)));
    let secret = folder.0.join("secret.obj");
    assert!(outside("../secret.obj"));
    assert!(outside("inside/../../secret.obj"));
    assert!(outside("package://robot/../secret.obj"));
    assert!(outside(&secret.display().to_string()));
    assert!(outside(&format!("file://{}", secret.display())));
    assert!(matches!(folder.mesh("package://../secret.obj"), Err(ImportFaultKind::NoSuchPackage(_))));
    assert!(matches!(folder.mesh("package://etc/passwd"), Err(ImportFaultKind::NoSuchPackage(_))));
    assert!(matches!(folder.mesh("package:///secret.obj"), Err(ImportFaultKind::NoSuchPackage(_))));
    assert!(matches!(folder.mesh("inside/none.obj"), Err(ImportFaultKind::NoSuchFile(_))));
    assert!(folder.mesh("inside").is_err());
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&secret, folder.0.join("robot/link.obj")).unwrap();
        assert!(outside("link.obj"));
        assert!(folder.mesh("/dev/zero").is_err());
    }
}

#[test]
fn a_mesh_that_announces_more_than_it_has_is_refused() {
    let folder = Folder::new("announces");
    let mut stl = vec![0; 84];
    stl[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    std::fs::write(folder.0.join("robot/big.stl"), stl).unwrap();
    assert!(folder.mesh("big.stl").is_err());
}
