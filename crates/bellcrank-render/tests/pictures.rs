//! What pictures show, against what geometry says; and files that other programs read.

use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Body, Geometry, Mesh, ModelBuilder, Shape, Texture, WORLD, library};
use bellcrank_render::{Camera, Film, Kind, Moment, Mount, Pixels, Renderer, Shot, ShotOptions, Size, views};
use bellcrank_sim::{Batch, BatchOptions};
use bellcrank_view::{Frame, Touching};
use std::path::PathBuf;
use std::sync::Arc;

const SIZE: Size = Size { width: 160, height: 120 };

/// A red ball of 0.5 m at a height of 2 m over the floor.
fn ball() -> Batch {
    let mut b = ModelBuilder::new("ball");
    b.shape(Shape::new("floor", WORLD, Geometry::Plane));
    let at = Pose::translation(0.0, 0.0, 2.0);
    let ball = b.body(Body::new("ball").at(at).solid_sphere(1.0, 0.5));
    b.shape(Shape::new("ball", ball, Geometry::Sphere { radius: 0.5 }).color([0.8, 0.1, 0.1, 1.0]));
    let model = Arc::new(b.build().expect("a model"));
    Batch::new(model, 1, BatchOptions::default()).expect("a batch")
}

fn from_afar() -> Camera {
    Camera { field_of_view: 0.8, ..Camera::new(Vec3::new(5.0, 0.0, 2.0), Vec3::new(0.0, 0.0, 2.0)) }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("bellcrank-pictures-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Along the camera's axis the ball is 4.5 m away; its outline is the cone of sin α = r/d = 0.1, of which facets (8 to a circle)
/// show at least cos(π/8) = 0.92.
#[test]
fn distances_and_outlines_are_those_of_the_ball() {
    let batch = ball();
    let mut renderer = Renderer::new(&batch, &[0], SIZE).expect("a renderer");
    let (depth, bodies) = renderer.measure(&batch, &from_afar()).expect("measured");
    let middle = 60 * 160 + 80;
    assert_eq!(bodies[middle], 0);
    assert!((depth[middle] - 4.5).abs() < 0.5 * (1.0 - 0.92), "{}", depth[middle]);
    let tangent = 0.1_f64.asin().tan();
    let radius = tangent / 0.4_f64.tan() * 60.0; // in pixels
    let across = (0..160).filter(|x| bodies[60 * 160 + x] == 0).count() as f64;
    assert!(across <= 2.0 * radius + 1.0 && across >= 2.0 * 0.92 * radius - 1.0, "{across}, {radius}");
    // the floor fills what is below the horizon, and nothing is above it
    assert!(bodies[119 * 160] == -1 && bodies[0] == -2);
    let down = 0.4_f64.tan() * 59.5 / 60.0;
    assert!((f64::from(depth[119 * 160]) - 2.0 / down).abs() < 1e-3);
    assert!(depth[0].is_infinite());
}

#[test]
fn the_ball_is_red_and_throws_a_shadow() {
    let batch = ball();
    let mut renderer = Renderer::new(&batch, &[0], SIZE).expect("a renderer");
    // the sun stands at (0.75, −0.35, 1.35): the shadow's middle is 2 m below, at −2 · (0.75, −0.35)/1.35
    let shadow = Vec3::new(-1.11, 0.52, 0.0);
    let above = |target: Vec3| Camera::new(target + Vec3::new(0.0, 0.0, 1.0), target);
    let mean = |renderer: &mut Renderer, camera: &Camera| {
        let picture = renderer.draw(&batch, camera).expect("a picture");
        let sum = |k: usize| picture.rgb.iter().skip(k).step_by(3).map(|x| f64::from(*x)).sum::<f64>();
        [0, 1, 2].map(|k| sum(k) / (160.0 * 120.0))
    };
    let dark = mean(&mut renderer, &above(shadow));
    let light = mean(&mut renderer, &above(shadow * -1.0));
    assert!(dark[0] < 0.9 * light[0] && dark[2] < 0.9 * light[2], "{dark:?} {light:?}");
    let camera = Camera { field_of_view: 0.1, ..from_afar() };
    let [r, g, b] = mean(&mut renderer, &camera);
    assert!(r > 120.0 && g < 0.5 * r && b < 0.5 * r, "{r} {g} {b}");
}

/// The framing camera has all of every shipped mechanism in the picture: its border shows no body.
#[test]
fn every_shipped_mechanism_fits_into_its_picture() {
    for name in library::names() {
        let model = Arc::new(library::by_name(name).expect("shipped").build().expect("sound"));
        let batch = Batch::new(model, 2, BatchOptions::default()).expect("a batch");
        let mut renderer = Renderer::new(&batch, &[0, 1], SIZE).expect("a renderer");
        let camera = Camera::framing(renderer.stage(), SIZE);
        let (_, bodies) = renderer.measure(&batch, &camera).expect("measured");
        assert!(bodies.iter().filter(|body| **body >= 0).count() > 40, "{name} is hardly seen");
        let border = (0..120)
            .flat_map(|y| (0..160).map(move |x| (x, y)))
            .filter(|(x, y)| *x == 0 || *y == 0 || *x == 159 || *y == 119);
        assert!(border.into_iter().all(|(x, y)| bodies[y * 160 + x] < 0), "{name} is cut off");
    }
}

#[test]
fn the_same_worlds_give_the_same_picture() {
    let batch = ball();
    let draw =
        || Renderer::new(&batch, &[0], SIZE).expect("a renderer").draw(&batch, &from_afar()).expect("drawn");
    assert_eq!(draw(), draw());
}

#[test]
fn films_are_files_that_others_read() {
    let folder = folder("films");
    let mut batch = ball();
    for name in ["film.gif", "film.apng", "film.png"] {
        let path = folder.join(name);
        let options = ShotOptions { size: SIZE, frames_per_second: 10.0, ..ShotOptions::default() };
        let mut shot = Shot::new(&batch, &path, options).expect("begins");
        for step in 0..=50 {
            shot.observe(&batch, f64::from(step) * 0.01).expect("filmed");
            batch.step(1);
        }
        assert_eq!(shot.frame_count(), 6, "0.5 s at ten pictures a second, both ends");
        assert_eq!(shot.finish().expect("written"), path);
    }
    let mut reader = gif::DecodeOptions::new();
    reader.set_color_output(gif::ColorOutput::RGBA);
    let file = std::fs::File::open(folder.join("film.gif")).expect("a file");
    let mut film = reader.read_info(std::io::BufReader::new(file)).expect("a GIF");
    let mut time = 0;
    while let Some(frame) = film.read_next_frame().expect("a frame") {
        time += frame.delay;
    }
    assert_eq!(time, 60, "hundredths of a second");
    for (name, frames) in [("film.apng", Some(6)), ("film.png", None)] {
        let file = std::fs::File::open(folder.join(name)).expect("a file");
        let reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG");
        assert_eq!((reader.info().width, reader.info().height), (160, 120));
        assert_eq!(reader.info().animation_control().map(|control| control.num_frames), frames, "{name}");
    }
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 3, "nothing unfinished is left");
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn what_cannot_be_drawn_or_written_is_refused_in_words() {
    let batch = ball();
    let told = |size| Renderer::new(&batch, &[0], size).err().expect("refused").to_string();
    assert!(told(Size { width: 0, height: 5 }).contains("between 1 and 8192"));
    assert!(Renderer::new(&batch, &[], SIZE).is_err() && Renderer::new(&batch, &[1], SIZE).is_err());
    let mut renderer = Renderer::new(&batch, &[0], SIZE).expect("a renderer");
    let blind = Camera::new(Vec3::zero(), Vec3::zero());
    assert_eq!(
        renderer.draw(&batch, &blind).expect_err("refused").to_string(),
        "the camera: eye and target must differ"
    );
    let unknown = Film::new("film.avi".as_ref(), 30.0).err().expect("refused").to_string();
    assert!(
        unknown.starts_with("film.avi: this ending is no kind of picture or film\n  hint: .png"),
        "{unknown}"
    );
    let nowhere = Film::new("/nowhere/at/all/film.gif".as_ref(), 30.0).err().expect("refused").to_string();
    assert!(nowhere.contains("film.gif: its folder is not there\n  hint"), "{nowhere}");
    let folder = folder("unfinished");
    let mut film = Film::new(&folder.join("film.gif"), 30.0).expect("a film");
    film.add(renderer.draw(&batch, &from_afar()).expect("drawn")).expect("added");
    drop(film);
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 0, "half a film is left");
}

/// A camera on a ball sees what the ball's fall brings nearer: in every world by itself, and the same for any number of threads.
#[test]
fn every_world_has_a_picture_of_its_own() {
    let mut batch = Batch::new(ball().models()[0].clone(), 3, BatchOptions::default()).expect("a batch");
    let lower = Pose::translation(0.0, 0.0, 1.0);
    batch.set_body_pose(1, 0, lower).expect("a world");
    let downwards = Camera { up: Vec3::x_axis(), ..Camera::new(Vec3::zero(), Vec3::new(0.0, 0.0, -1.0)) };
    let small = Size { width: 16, height: 12 };
    let look =
        |worlds: &[usize], kind, mount| views(&batch, worlds, small, (kind, &mount)).expect("pictures");
    let Pixels::Depth(depth) = look(&[0, 1, 2], Kind::Depth, Mount::Body(downwards, 0)) else {
        panic!("depths")
    };
    // the ball itself is around the camera: its inside is seen, 0.5 m below
    for (world, picture) in depth.chunks_exact(16 * 12).enumerate() {
        assert!((picture[6 * 16 + 8] - 0.5).abs() < 0.04, "world {world}: {}", picture[6 * 16 + 8]);
    }
    let fixed = Mount::World(from_afar());
    let Pixels::Segmentation(bodies) = look(&[0, 1], Kind::Segmentation, fixed.clone()) else {
        panic!("bodies")
    };
    let rows = |world: usize| {
        let picture = &bodies[world * 16 * 12..(world + 1) * 16 * 12];
        (0..12).filter(|y| picture[y * 16 + 8] == 0).collect::<Vec<_>>()
    };
    assert!(rows(0).iter().min() < rows(1).iter().min(), "{:?} {:?}", rows(0), rows(1));
    assert_eq!(look(&[1], Kind::Color, Mount::Framing), look(&[1], Kind::Color, Mount::Framing));
    assert!(views(&batch, &[3], small, (Kind::Depth, &fixed)).is_err());
    assert!(views(&batch, &[0], small, (Kind::Depth, &Mount::Body(downwards, 7))).is_err());
}

/// Poses that went through a frame of a recording (32 bits) give the picture of the batch itself, but for pixels at edges.
#[test]
fn recorded_moments_look_like_the_worlds_themselves() {
    let batch = ball();
    let mut renderer = Renderer::new(&batch, &[0], SIZE).expect("a renderer");
    let frame = Frame::of(&batch, [0].into_iter(), 0.0, Touching::All).expect("a frame");
    let recorded = renderer.draw_moment(&Moment::of_frame(&frame, &[1]), &from_afar()).expect("drawn");
    let itself = renderer.draw(&batch, &from_afar()).expect("drawn");
    let differ = recorded.rgb.iter().zip(&itself.rgb).filter(|(a, b)| a.abs_diff(**b) > 2).count();
    assert!(differ < itself.rgb.len() / 100, "{differ}");
}

/// A falling ball: its last key frame is where the ball is, z up turned to y up by the root alone; and the parts of the file are where
/// its head says (glTF 2.0, section 4).
#[test]
fn a_moving_scene_has_a_key_frame_for_every_moment() {
    let mut batch = ball();
    let path = folder("gltf").join("ball.glb");
    let options = ShotOptions { frames_per_second: 50.0, ..ShotOptions::default() };
    let mut shot = Shot::new(&batch, &path, options).expect("a shot");
    let dt = batch.dt();
    for step in 0..=50 {
        shot.observe(&batch, f64::from(step) * dt).expect("taken");
        if step < 50 {
            batch.step(1);
        }
    }
    let frames = shot.frame_count();
    assert_eq!(frames, (50.0 * 50.0 * dt + 1.0 + 1e-9) as usize);
    let bytes = std::fs::read(shot.finish().expect("written")).expect("a file");
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let told: serde_json::Value = serde_json::from_slice(&bytes[20..20 + word(12)]).expect("JSON");
    let numbers = &bytes[28 + word(12)..];
    assert_eq!((word(12) % 4, word(20 + word(12))), (0, numbers.len()));
    let nodes = told["nodes"].as_array().expect("nodes");
    let ball = nodes.iter().position(|node| node["name"] == "ball").expect("the ball's node");
    let root = &nodes[told["scenes"][0]["nodes"][0].as_u64().expect("a number") as usize];
    assert_eq!(root["rotation"][0].as_f64(), Some(-std::f64::consts::FRAC_1_SQRT_2));
    let motion = &told["animations"][0];
    let channels = motion["channels"].as_array().expect("channels");
    assert_eq!(channels.len(), 2);
    let way = channels.iter().find(|channel| channel["target"]["path"] == "translation").expect("a way");
    assert_eq!(way["target"]["node"], ball);
    let sampler = &motion["samplers"][way["sampler"].as_u64().expect("a number") as usize];
    let accessor = &told["accessors"][sampler["output"].as_u64().expect("a number") as usize];
    assert_eq!(accessor["count"], frames);
    let view = &told["bufferViews"][accessor["bufferView"].as_u64().expect("a number") as usize];
    let last = view["byteOffset"].as_u64().expect("a number") as usize + 12 * (frames - 1) + 8;
    let z = f32::from_le_bytes(numbers[last..last + 4].try_into().expect("four bytes"));
    let now = batch.body_pose(0, 0).expect("a pose").p.z;
    assert!((f64::from(z) - now).abs() < 1e-6 && now < 1.95, "{z}, {now}");
}

/// Law of reflection and Fresnel: black paint seen from the front gives back the least light of all that is lit, and still some.
#[test]
fn black_paint_has_a_shape() {
    let mut b = ModelBuilder::new("black");
    let ball = b.body(Body::new("ball").at(Pose::translation(0.0, 0.0, 2.0)).solid_sphere(1.0, 0.5));
    b.shape(Shape::new("ball", ball, Geometry::Sphere { radius: 0.5 }).color([0.0, 0.0, 0.0, 1.0]));
    let batch =
        Batch::new(Arc::new(b.build().expect("a model")), 1, BatchOptions::default()).expect("a batch");
    let mut renderer = Renderer::new(&batch, &[0], SIZE).expect("a renderer").without_floor();
    let picture = renderer.draw(&batch, &from_afar()).expect("drawn");
    let (_, bodies) = renderer.measure(&batch, &from_afar()).expect("measured");
    let shades: std::collections::BTreeSet<u8> =
        (0..bodies.len()).filter(|k| bodies[*k] == 0).map(|k| picture.rgb[3 * k + 1]).collect();
    assert!(shades.len() > 12 && *shades.first().expect("a shade") > 15, "{shades:?}");
}

/// The records of a log one after the other: a byte that says of which kind, eight of length (MCAP, "Records"). Read back here by hand, and
/// in Python by the package that reads such logs.
#[test]
fn a_log_tells_where_every_body_is_at_every_moment() {
    let mut batch = ball();
    let path = folder("log").join("ball.mcap");
    let options = ShotOptions { frames_per_second: 50.0, ..ShotOptions::default() };
    let mut shot = Shot::new(&batch, &path, options).expect("a shot");
    let dt = batch.dt();
    for step in 0..=50 {
        shot.observe(&batch, f64::from(step) * dt).expect("taken");
        if step < 50 {
            batch.step(1);
        }
    }
    let frames = shot.frame_count();
    let bytes = std::fs::read(shot.finish().expect("written")).expect("a file");
    let magic = b"\x89MCAP0\r\n";
    assert!(bytes.starts_with(magic) && bytes.ends_with(magic));
    let (mut at, mut kinds, mut messages) = (8, Vec::new(), Vec::new());
    while at < bytes.len() - 8 {
        let length = u64::from_le_bytes(bytes[at + 1..at + 9].try_into().expect("eight bytes")) as usize;
        kinds.push(bytes[at]);
        if bytes[at] == 5 {
            messages.push(&bytes[at + 9..at + 9 + length]);
        }
        at += 9 + length;
    }
    // a header, two schemas with their channels, how things look, where they are; the end of the data, a footer
    let expected = [vec![1, 3, 4, 3, 4], vec![5; frames + 1], vec![15, 2]].concat();
    assert_eq!((at, kinds), (bytes.len() - 8, expected));
    let last = messages[frames];
    let time = u64::from_le_bytes(last[6..14].try_into().expect("eight bytes"));
    assert_eq!(time, 20_000_000 * (frames as u64 - 1)); // 50 per second
    let told: serde_json::Value = serde_json::from_slice(&last[22..]).expect("JSON");
    assert_eq!(told["transforms"][0]["child_frame_id"], "world_0/ball");
    let now = batch.body_pose(0, 0).expect("a pose").p.z;
    assert!((told["transforms"][0]["translation"]["z"].as_f64().expect("a number") - now).abs() < 1e-9);
    let look: serde_json::Value = serde_json::from_slice(&messages[0][22..]).expect("JSON");
    assert!(look["entities"][0]["triangles"][0]["indices"].as_array().is_some_and(|list| list.len() > 100));
}

/// A square wall of 2 m that a picture of four colours covers twice across, seen from the front: x to the right is u, down is v.
fn wall() -> Batch {
    let corners = [[-1.0, 0.0, 3.0], [1.0, 0.0, 3.0], [1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]];
    let mut mesh = Mesh::new(corners.map(Vec3::from_array).to_vec(), vec![[0, 3, 2], [0, 2, 1]]);
    let places = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    mesh.uvs = mesh.triangles.iter().map(|t| t.map(|k| places[k as usize])).collect();
    let pixels = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]];
    let mut picture = Texture::new(2, 2, pixels.concat()).expect("four pixels");
    picture.repeat = [2.0, 1.0];
    let mut b = ModelBuilder::new("wall");
    let wall = Shape::new("wall", WORLD, Geometry::TriangleMesh(Arc::new(mesh))).visual_only();
    b.shape(wall.color([1.0; 4]).texture(Arc::new(picture)));
    b.body(Body::new("ball").solid_sphere(1.0, 0.01));
    Batch::new(Arc::new(b.build().expect("a model")), 1, BatchOptions::default()).expect("a batch")
}

#[test]
fn a_picture_covers_its_mesh() {
    let batch = wall();
    let mut renderer = Renderer::new(&batch, &[0], SIZE).expect("a renderer");
    let front = Camera::new(Vec3::new(0.0, -8.0, 2.0), Vec3::new(0.0, 0.0, 2.0));
    let picture = renderer.draw(&batch, &front).expect("a picture");
    // half of the picture's height is 8 tan 0.25 = 2.04 m
    let scale = 60.0 / (8.0 * 0.25_f64.tan());
    let seen = |x: f64, z: f64| {
        let (column, row) = ((80.0 + scale * x) as usize, (60.0 - scale * (z - 2.0)) as usize);
        let at = 3 * (row * 160 + column);
        let [r, g, b] = [0, 1, 2].map(|k| picture.rgb[at + k]);
        let most = r.max(g).max(b);
        [r, g, b].map(|x| u8::from(f64::from(x) > 0.8 * f64::from(most)))
    };
    for (k, x) in [-0.75, -0.25, 0.25, 0.75].into_iter().enumerate() {
        let [upper, lower] = [[[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [1, 1, 1]]][k % 2];
        assert_eq!((seen(x, 2.5), seen(x, 1.5)), (upper, lower), "{x}");
    }
}

/// The file has the picture as a PNG of its own, laid twice across by the extension for that, and a place in it for every corner.
#[test]
fn a_moving_scene_takes_its_pictures_along() {
    let batch = wall();
    let path = folder("picture").join("wall.glb");
    let mut shot = Shot::new(&batch, &path, ShotOptions::default()).expect("a shot");
    shot.observe(&batch, 0.0).expect("taken");
    let bytes = std::fs::read(shot.finish().expect("written")).expect("a file");
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    let told: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).expect("JSON");
    let numbers = &bytes[28 + length..];
    let view = &told["bufferViews"][told["images"][0]["bufferView"].as_u64().expect("a number") as usize];
    let start = view["byteOffset"].as_u64().expect("a number") as usize;
    let decoder = png::Decoder::new(std::io::Cursor::new(&numbers[start..]));
    let mut reader = decoder.read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("pixels");
    assert_eq!(pixels[..6], [255, 0, 0, 0, 255, 0]);
    let covered =
        &told["materials"].as_array().expect("materials")[0]["pbrMetallicRoughness"]["baseColorTexture"];
    assert_eq!(covered["extensions"]["KHR_texture_transform"]["scale"][0], 2.0);
    assert_eq!(told["extensionsUsed"][0], "KHR_texture_transform");
    let primitive = &told["meshes"].as_array().expect("meshes").iter().map(|mesh| &mesh["primitives"][0]);
    let corners: Vec<u64> =
        primitive.clone().filter_map(|p| p["attributes"]["TEXCOORD_0"].as_u64()).collect();
    assert_eq!(told["accessors"][corners[0] as usize]["count"], 6);
}

/// A camera of the model that is screwed to the ball sees what one that is given in the ball's frame sees; one that is not there is told.
#[test]
fn cameras_of_the_model_take_pictures() {
    let mut b = ModelBuilder::new("ball");
    b.shape(Shape::new("floor", WORLD, Geometry::Plane));
    let ball = b.body(Body::new("ball").at(Pose::translation(0.0, 0.0, 2.0)).solid_sphere(1.0, 0.5));
    b.shape(Shape::new("ball", ball, Geometry::Sphere { radius: 0.5 }));
    let (eye, target) = (Vec3::new(0.6, 0.0, 0.0), Vec3::new(1.6, 0.0, -1.0));
    b.camera(bellcrank_model::Camera::new("nose", "ball").looking(eye, target).field_of_view(0.8));
    let mut batch =
        Batch::new(Arc::new(b.build().expect("a model")), 1, BatchOptions::default()).expect("a batch");
    batch.step(20);
    let look = |mount| match views(&batch, &[0], SIZE, (Kind::Color, &mount)).expect("pictures") {
        Pixels::Color(rgb) => rgb,
        other => panic!("colours, not {other:?}"),
    };
    let given = Camera { field_of_view: 0.8, ..Camera::new(eye, target) };
    let (named, carried) = (look(Mount::Named("nose".into())), look(Mount::Body(given, 0)));
    // the two ways to the camera's place round differently
    let differ = named.iter().zip(&carried).filter(|(a, b)| a.abs_diff(**b) > 2).count();
    assert!(differ < named.len() / 100, "{differ} of {}", named.len());
    let elsewhere = look(Mount::World(given));
    assert!(named.iter().zip(&elsewhere).filter(|(a, b)| a.abs_diff(**b) > 2).count() > named.len() / 20);
    let missing =
        views(&batch, &[0], SIZE, (Kind::Color, &Mount::Named("knose".into()))).unwrap_err().to_string();
    assert!(
        missing.contains("\"ball\" has no camera \"knose\"") && missing.contains("did you mean \"nose\""),
        "{missing}"
    );
    let options = ShotOptions { camera: Some("tail".into()), ..ShotOptions::default() };
    assert!(Shot::new(&batch, &folder("named").join("ball.gif"), options).is_err());
}
