//! One tetrahedron in every format.

use super::*;

fn load(name: &str, bytes: impl Into<Vec<u8>>) -> Result<Mesh, ImportFaultKind> {
    read(&File::new(name, bytes.into()), &Limits::default())
}

const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// 1·2·3/6 = 1: the sum of signed volumes of all faces with the origin.
fn assert_tetrahedron(mesh: &Mesh) {
    assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4));
    let volume: f64 = mesh
        .triangles
        .iter()
        .map(|t| t.map(|i| mesh.vertices[i as usize]))
        .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
        .sum();
    assert!((volume - 1.0).abs() < 1e-6, "{volume}");
}

fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes[..5].copy_from_slice(b"solid");
    bytes.extend(4u32.to_le_bytes());
    for face in FACES {
        bytes.extend([0; 12]);
        face.into_iter().flat_map(|i| CORNERS[i]).for_each(|x| bytes.extend(x.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

#[test]
fn binary_stl_is_told_from_text_by_its_length() {
    assert_tetrahedron(&load("a.STL", binary_stl()).unwrap());
}

#[test]
fn text_stl_is_read() {
    let mut text = "solid a\n".to_owned();
    for face in FACES {
        text += "facet normal 0 0 0\nouter loop\n";
        face.into_iter().map(|i| CORNERS[i]).for_each(|[x, y, z]| text += &format!("vertex {x} {y} {z}\n"));
        text += "endloop\nendfacet\n";
    }
    assert_tetrahedron(&load("a.stl", text + "endsolid").unwrap());
}

#[test]
fn obj_faces_may_have_normals_and_count_from_the_end() {
    let mut text = "# comment\nmtllib a.mtl\n".to_owned();
    CORNERS.iter().for_each(|[x, y, z]| text += &format!("v {x} {y} {z} 1.0\n"));
    text += "vn 0 0 1\nf 1//1 3//1 2//1\nf 1 2 4\nf -4 -1 -2\nf 2/1 3/1 4/1\n";
    assert_tetrahedron(&load("a.obj", text).unwrap());
}

/// The file is in centimetres and its node is twice as large: corners at 50 give 50 · 2 · 0.01 = 1.
#[test]
fn collada_units_and_nodes_are_applied() {
    let text = r##"<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema">
      <asset><unit meter="0.01"/></asset>
      <library_geometries><geometry id="g"><mesh>
        <source id="p"><float_array id="f" count="12">0 0 0 50 0 0 0 100 0 0 0 150</float_array>
          <technique_common><accessor source="#f" count="4" stride="3"/></technique_common></source>
        <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
        <polylist count="4"><input semantic="VERTEX" source="#v" offset="0"/>
          <input semantic="NORMAL" source="#n" offset="1"/>
          <vcount>3 3 3 3</vcount><p>0 0 2 0 1 0  0 0 1 0 3 0  0 0 3 0 2 0  1 0 2 0 3 0</p></polylist>
      </mesh></geometry></library_geometries>
      <library_visual_scenes><visual_scene><node>
        <scale>2 2 2</scale><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
    </COLLADA>"##;
    assert_tetrahedron(&load("a.dae", text).unwrap());
}

fn gltf(uri: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"mesh":0,"translation":[1,0,0],"children":[]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
                     {{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":24}}],
        "buffers":[{{{uri}"byteLength":72}}]}}"#
    )
}

fn gltf_data() -> Vec<u8> {
    let corners = CORNERS.iter().flatten().flat_map(|x| x.to_le_bytes());
    corners.chain(FACES.iter().flatten().flat_map(|i| (*i as u16).to_le_bytes())).collect()
}

#[test]
fn glb_and_gltf_with_a_file_are_read() {
    let json = gltf("").into_bytes();
    let json = [json.clone(), vec![b' '; json.len().next_multiple_of(4) - json.len()]].concat();
    let mut glb = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &gltf_data())] {
        glb.extend((chunk.len() as u32).to_le_bytes());
        glb.extend(kind);
        glb.extend(chunk);
    }
    assert_tetrahedron(&load("a.glb", glb).unwrap());
    let options = crate::Options::new().file("a.bin", gltf_data());
    let files = Files::in_memory(&options);
    let file = File::new("a.gltf", gltf("\"uri\":\"a.bin\",").into_bytes());
    let mesh = read_with(&file, &files).unwrap();
    assert_tetrahedron(&mesh);
    assert!(mesh.vertices.contains(&Vec3::new(2.0, 0.0, 0.0)));
}

#[test]
fn data_inside_the_file_is_read() {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let coded: String = gltf_data()
        .chunks(3) // 72 bytes: no padding
        .map(|c| u32::from(c[0]) << 16 | u32::from(c[1]) << 8 | u32::from(c[2]))
        .flat_map(|bits| [18, 12, 6, 0].map(|shift| LETTERS[(bits >> shift & 63) as usize] as char))
        .collect();
    let text = |coded: &str| gltf(&format!("\"uri\":\"data:application/octet-stream;base64,{coded}\","));
    assert_tetrahedron(&load("a.gltf", text(&coded)).unwrap());
    assert!(load("a.gltf", text("AAAA!")).is_err());
}

#[test]
fn damaged_meshes_say_what_is_wrong() {
    let mut short = binary_stl();
    short[0] = b'x';
    short.truncate(150);
    let say = |name: &str, bytes: Vec<u8>| load(name, bytes).unwrap_err().to_string();
    insta::assert_snapshot!(say("a.stl", short), @r#"the mesh "a.stl" cannot be used: it announces 4 triangles and ends after 1"#);
    insta::assert_snapshot!(say("a.stl", vec![0; 10]), @r#"the mesh "a.stl" cannot be used: it is too short for an STL file"#);
    insta::assert_snapshot!(say("a.obj", b"v 0 0 0\nf 1 2 9".to_vec()), @r#"the mesh "a.obj" cannot be used: line 2: a face names no such vertex"#);
    insta::assert_snapshot!(say("a.obj", b"v 0 0".to_vec()), @r#"the mesh "a.obj" cannot be used: line 1: a vertex needs three numbers"#);
    insta::assert_snapshot!(say("a.glb", b"glTF".to_vec()), @r#"the mesh "a.glb" cannot be used: it ends too early"#);
    insta::assert_snapshot!(say("a.ply", Vec::new()), @r#"the mesh format "ply" of "a.ply" is not known"#);
    insta::assert_snapshot!(say("a.obj", Vec::new()), @r#"the mesh "a.obj" cannot be used: it has no triangles"#);
}

/// Node 0 names itself.
#[test]
fn nodes_without_end_are_refused() {
    let ring = r#"{"scenes":[{"nodes":[0]}],"nodes":[{"children":[0,0]}]}"#;
    assert!(load("a.gltf", ring).unwrap_err().to_string().contains("without end"));
    let ring = r##"<COLLADA><library_visual_scenes><visual_scene><node id="a"><instance_node url="#a"/>
        <instance_node url="#a"/></node></visual_scene></library_visual_scenes></COLLADA>"##;
    assert!(load("a.dae", ring).unwrap_err().to_string().contains("without end"));
}

#[test]
fn a_mirror_image_keeps_its_outside_outside() {
    let mesh = load("a.stl", binary_stl()).unwrap();
    assert_tetrahedron(&scaled(&mesh, Vec3::new(-1.0, 1.0, 1.0)));
}
