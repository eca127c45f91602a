//! `run --record`, `view` and `demo`, as a user types them.

use bellcrank::view::read_recording;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bellcrank"));
    command.args(arguments);
    command
}

/// A file in the temporary folder that is ours alone.
fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("bellcrank_{}_{name}", std::process::id()))
}

/// What Ctrl-C does.
#[cfg(unix)]
fn interrupt(child: &Child) {
    let done = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(done.success());
}

/// Two seconds at thirty frames per second, both ends included: 61 frames.
#[test]
fn run_records_one_page() {
    let out = file("run.html");
    let arguments = ["run", "four_bar", "--worlds", "3", "--steps", "500", "--json", "--record"];
    let output = command(&arguments).arg(&out).output().expect("the binary runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        serde_json::from_slice::<serde_json::Value>(&output.stdout).is_ok(),
        "only JSON on standard output"
    );
    let playback = read_recording(&std::fs::read(&out).expect("a file")).expect("a recording");
    assert_eq!(playback.frames.len(), 61);
    assert_eq!(playback.header["scene"]["worlds"].as_array().map(Vec::len), Some(3));
    std::fs::remove_file(out).expect("cleaned up");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_valid_recording_and_prints_the_figures() {
    let out = file("interrupted.html");
    let part = file("interrupted.html.part");
    let arguments = ["run", "hybrid_biped", "--worlds", "8", "--steps", "100000000", "--json", "--record"];
    let child =
        command(&arguments).arg(&out).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
    let started = Instant::now();
    // a block of frames is on the disk
    while std::fs::metadata(&part).map_or(0, |file| file.len()) < 50_000 {
        assert!(started.elapsed() < Duration::from_secs(60), "nothing was recorded");
        std::thread::sleep(Duration::from_millis(20));
    }
    interrupt(&child);
    let output = child.wait_with_output().expect("it ended");
    assert_eq!(output.status.code(), Some(130));
    let figures: serde_json::Value = serde_json::from_slice(&output.stdout).expect("figures");
    assert_eq!(figures["interrupted"], true);
    let steps = figures["steps"].as_u64().expect("a number");
    assert!((60..100_000_000).contains(&steps), "{steps}");
    let playback = read_recording(&std::fs::read(&out).expect("a file")).expect("a recording");
    let last = playback.frames.last().expect("frames").time;
    assert!((last - steps as f64 * 0.004).abs() < 0.05, "recorded up to {last} s of {steps} steps");
    assert!(!part.exists());
    std::fs::remove_file(out).expect("cleaned up");
}

#[cfg(unix)]
#[test]
fn view_prints_an_address_on_this_machine_and_ends_with_ctrl_c() {
    let mut child = command(&["view", "four_bar"]).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    assert!(line.starts_with("open http://127.0.0.1:"), "{line}");
    interrupt(&child);
    assert!(child.wait().expect("it ended").success());
}

/// The page is there while the worlds run, and the figures come after Ctrl-C.
#[cfg(unix)]
#[test]
fn run_shows_the_worlds_in_a_page_while_they_run() {
    let arguments = ["run", "four_bar", "--worlds", "4", "--steps", "100000000", "--view", "--json"];
    let mut child =
        command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut line = String::new();
    let mut told = BufReader::new(child.stderr.take().expect("a pipe"));
    told.read_line(&mut line).expect("a line");
    let host =
        line.trim().strip_prefix("viewer: http://").expect("an address").trim_end_matches('/').to_owned();
    let mut stream = TcpStream::connect(&host).expect("a server");
    write!(stream, "GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("sent");
    let mut page = String::new();
    stream.read_to_string(&mut page).expect("an answer");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<canvas"), "{}", &page[..200]);
    interrupt(&child);
    let output = child.wait_with_output().expect("it ended");
    assert_eq!(output.status.code(), Some(130));
    let figures: serde_json::Value = serde_json::from_slice(&output.stdout).expect("figures");
    assert!(figures["steps"].as_u64().is_some_and(|steps| steps < 100_000_000), "{figures}");
}

#[test]
fn what_is_no_recording_is_refused() {
    let page = file("no_recording.html");
    std::fs::write(&page, "<!doctype html>").expect("a file");
    let output = command(&["view"]).arg(&page).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("this is no recording"), "{text}");
    std::fs::remove_file(page).expect("cleaned up");
}

#[test]
fn every_demo_ends_when_nobody_watches_and_keeps_its_loops_closed() {
    for name in ["fourbar", "biped", "jansen", "zoo", "pile"] {
        let output = command(&["demo", name, "--headless", "--json"]).output().expect("the binary runs");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let records: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let gap = records[0]["loop_gap_max_m"].as_f64().expect("a number");
        assert!(gap < 1e-5, "{name}: {gap} m");
        assert_eq!(records[0]["status"].get("frozen"), None, "{name}: {}", records[0]["status"]);
    }
}

#[test]
fn completions_name_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let output = command(&["completions", shell]).output().expect("the binary runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(["demo", "check", "run", "view"].iter().all(|name| text.contains(name)), "{shell}");
    }
}

/// `bellcrank models | head -1`: the reader goes away, and nothing is said about it.
#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let script = format!("{} models | head -n 1", env!("CARGO_BIN_EXE_bellcrank"));
    let output = Command::new("sh").args(["-c", &script]).output().expect("a shell");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Unfit targets are found before the first step, not after the last: a hundred million steps would take a day.
#[test]
fn unfit_targets_are_found_before_the_run() {
    let folder = file("a_folder");
    std::fs::create_dir_all(&folder).expect("a folder");
    let missing = file("missing").join("run.html");
    let text = |path: &std::path::Path| path.display().to_string();
    for (target, why) in [
        (text(&folder), "is a directory"),
        (text(&missing), "the folder must exist"),
        (text(&folder.join("run.avi")), "no kind of picture or film"),
        (text(&folder.join("run")), "no kind of picture or film"),
        (text(&file("missing").join("run.gif")), "its folder is not there"),
        ("/dev/null".to_owned(), "not a regular file"),
    ] {
        let output = command(&["run", "four_bar", "--steps", "100000000", "--record", &target])
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{target}: {said}");
        assert!(said.contains(why) && said.contains("hint"), "{target}: {said}");
    }
    let left: Vec<_> =
        std::fs::read_dir(&folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
    assert!(left.is_empty(), "{left:?}");
    std::fs::remove_dir_all(folder).expect("cleaned up");
}

/// A film by its ending; unknown sizes are told by the parser.
#[test]
fn films_are_recorded_by_their_ending() {
    let out = file("run.gif");
    let film = ["run", "four_bar", "--steps", "100", "--size", "80x60", "--fps", "10", "--record"];
    let output = command(&[&film[..], &[out.to_str().expect("a name")]].concat()).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("run.gif ("), "{said}");
    assert_eq!(std::fs::read(&out).expect("a film")[..6], *b"GIF89a");
    std::fs::remove_file(out).expect("cleaned up");
    let output =
        command(&["run", "four_bar", "--size", "80", "--record", "x.gif"]).output().expect("it runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("as in 640x360"));
}

/// A disk without room: a limit on the size of files does the same and needs no rights.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_or_something_that_plays() {
    let folder = file("full");
    std::fs::create_dir_all(&folder).expect("a folder");
    let out = folder.join("run.html");
    // in blocks of 1 kB: less than the page, then enough for the page but not for the run
    for (blocks, early) in [(100, true), (2_500, false)] {
        let program = format!(
            "ulimit -f {blocks}; trap '' XFSZ; exec {} run hybrid_biped --worlds 16 --steps 40000 --control random --record {}",
            env!("CARGO_BIN_EXE_bellcrank"),
            out.display()
        );
        let output = Command::new("bash").args(["-c", &program]).output().expect("bash runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(!out.exists() && !folder.join("run.html.new").exists());
        let part = folder.join("run.html.part");
        if early {
            assert!(!part.exists(), "{said}");
        } else {
            assert!(said.contains("bellcrank view"), "{said}");
            assert!(
                !read_recording(&std::fs::read(&part).expect("a part")).expect("it plays").frames.is_empty()
            );
        }
    }
    std::fs::remove_dir_all(folder).expect("cleaned up");
}

/// The exit code and the JSON tell what became of a run.
#[test]
fn the_exit_code_tells_what_became_of_the_run() {
    let run = |arguments: &[&str]| {
        let output = command(arguments).arg("--json").output().expect("it runs");
        let figures: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (output.status.code(), figures)
    };
    let (code, figures) = run(&["run", "four_bar", "--steps", "50", "--strict"]);
    assert_eq!(code, Some(0), "{figures}");
    assert_eq!((&figures["interrupted"], &figures["inexact_world_steps"]), (&false.into(), &0.into()));
    assert_eq!(figures["steps_asked"], 50);
    // steps of five seconds: what a walker does within one is more than can be solved
    let wild = ["run", "jansen_walker", "--dt", "5", "--steps", "50", "--strict"];
    let (code, figures) = run(&wild);
    assert!(figures["inexact_world_steps"].as_u64() > Some(0), "{figures}");
    assert_eq!((code, figures["status"]["frozen"].as_u64()), (Some(3), None), "{figures}");
    assert_eq!(run(&wild[..6]).0, Some(0)); // told, but only --strict makes a fault of it
    let (code, figures) = run(&["run", "hybrid_biped", "--dt", "1e5", "--steps", "50"]);
    assert_eq!((code, figures["status"]["frozen"].as_u64()), (Some(4), Some(1)), "{figures}");
}
