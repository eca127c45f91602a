//! Seeds, and ways to spoil them: shared by the tests and by the crate `bellcrank-fuzz`.

use bellcrank_import::{File, Format, Limits, Options, loads, meshes, to_mjcf, to_urdf};

/// What is fed to which parser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parser {
    Robot(Format),
    /// By the ending of the file's name.
    Mesh(&'static str),
}

pub const URDF: &str = r#"<?xml version="1.0"?>
<robot name="r" xmlns:x="y">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="a"><inertial><origin xyz="0 0 1" rpy="0 0.1 0"/><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <collision name="c"><geometry><box size="1 2 3"/></geometry></collision>
    <visual><geometry><mesh filename="package://p/t.obj" scale="1 1 -1"/></geometry><material name="red"/></visual></link>
  <link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <link name="tip"/>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/><origin xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="5" velocity="3"/><dynamics damping="0.1" friction="0"/></joint>
  <joint name="k" type="fixed"><parent link="b"/><child link="tip"/></joint>
  <loop_joint name="l" type="spherical"><parent link="a"/><child link="tip"/><parent_origin xyz="0 0 2"/></loop_joint>
  <transmission name="t"><joint name="j"/><actuator name="m"/></transmission>
</robot>
"#;

pub const MJCF: &str = r#"<mujoco model="m"><compiler angle="degree" eulerseq="xyz"/><option timestep="0.002"/>
  <default><geom friction="1 0.1 0.1"/><default class="d"><joint damping="1" range="-90 90"/></default></default>
  <asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3"/></asset>
  <worldbody><geom type="plane" size="0 0 1"/>
    <body name="a" pos="0 0 1" euler="10 20 30"><freejoint/><geom type="box" size="0.1 0.2 0.3" mass="1"/><site name="s"/>
      <body name="b" childclass="d" pos="0.5 0 0"><joint name="h" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.1"/><geom name="x" size="0.1"/>
        <body name="c" pos="1 0 0"><joint name="k" type="slide"/><geom type="mesh" mesh="t"/><site name="z"/></body></body></body></worldbody>
  <equality><connect body1="a" body2="c" anchor="0 0 0"/><joint joint1="h" joint2="k" polycoef="0 1 0 0 0"/></equality>
  <tendon><fixed name="f" range="-1 1" stiffness="2" springlength="0 1"><joint joint="h" coef="1"/><joint joint="k" coef="-2"/></fixed>
    <spatial name="g" range="0 9"><site site="s"/><geom geom="x" sidesite="s"/><site site="z"/><pulley divisor="2"/><site site="z"/><site site="s"/></spatial></tendon>
  <actuator><position name="p" joint="h" kp="10" ctrlrange="-1 1" forcerange="-1 2"/><position tendon="f" dampratio="1" inheritrange="1"/>
    <motor name="j" site="s" gear="0 0 1 0 0 0.1"/><general joint="k" gaintype="affine" biastype="affine" gainprm="1" biasprm="0 -1"/></actuator>
  <sensor><gyro site="s"/><tendonpos tendon="f"/><actuatorfrc actuator="p"/><subtreecom body="a"/></sensor>
  <keyframe><key name="x" qpos="0 0 1 1 0 0 0 0 0" qvel="0 0 1 1 0 0 1 2" ctrl="1 0 0 0"/></keyframe></mujoco>
"#;

pub const USD: &str = r#"#usda 1.0
( defaultPrim = "r"
  metersPerUnit = 0.01
  upAxis = "Y" )
class "base" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] ) { float physics:mass = 1 }
def Xform "r" {
  def Cube "a" ( inherits = </base>
    prepend apiSchemas = ["PhysicsCollisionAPI"]
    variants = { string v = "x" } ) {
    double size = 2
    float3 physics:diagonalInertia = (1, 1, 1)
    quatf xformOp:orient = (1, 0, 0, 0)
    double3 xformOp:translate = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
    variantSet "v" = { "x" { color3f[] primvars:displayColor = [(1, 0, 0)] } }
  }
  def Mesh "b" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"] ) {
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
  }
  def PhysicsRevoluteJoint "j" ( prepend apiSchemas = ["PhysicsDriveAPI:angular"] ) {
    rel physics:body0 = </r/a>
    rel physics:body1 = </r/b>
    uniform token physics:axis = "Y"
    float physics:lowerLimit = -inf
    float drive:angular:physics:stiffness = 3
  }
  def PhysicsJoint "k" ( customData = { string dofs = "universal" } ) { rel physics:body1 = </r/b> }
}
"#;

const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1/1 2/2/2 4\nf -4 -1 -2\nf 2 3 4\n";
const STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e-1 0\nendloop\nendfacet\n";
const DAE: &str = r##"<COLLADA><asset><unit meter="0.01"/></asset><library_geometries><geometry id="g"><mesh>
  <source id="p"><float_array id="f">0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor stride="3"/></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  <polylist><input semantic="VERTEX" source="#v" offset="0"/><vcount>3</vcount><p>0 1 2</p></polylist></mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene><node id="n"><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix><rotate>1 0 0 90</rotate>
  <instance_geometry url="#g"/><instance_node url="#n2"/></node></visual_scene></library_visual_scenes></COLLADA>"##;
const GLTF: &str = r#"{"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"rotation":[0,0,0,1],"children":[]}],
  "meshes":[{"primitives":[{"attributes":{"POSITION":0},"mode":5}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3}],
  "bufferViews":[{"buffer":0,"byteLength":36,"byteStride":12}],
  "buffers":[{"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#;

/// Every parser with something that it understands.
pub fn seeds() -> Vec<(Parser, Vec<u8>)> {
    let text = [
        (Parser::Robot(Format::Urdf), URDF),
        (Parser::Robot(Format::Mjcf), MJCF),
        (Parser::Robot(Format::Usd), USD),
        (Parser::Mesh("a.obj"), OBJ),
        (Parser::Mesh("a.stl"), STL),
        (Parser::Mesh("a.dae"), DAE),
        (Parser::Mesh("a.gltf"), GLTF),
    ];
    let mut seeds: Vec<_> =
        text.into_iter().map(|(parser, text)| (parser, text.as_bytes().to_vec())).collect();
    let mut binary = vec![0u8; 80];
    binary.extend(2u32.to_le_bytes());
    for record in 0..2u8 {
        (0..12u8).for_each(|k| binary.extend((f32::from(k * k) + f32::from(record)).to_le_bytes()));
        binary.extend([0; 2]);
    }
    seeds.push((Parser::Mesh("b.stl"), binary));
    seeds
}

/// Whatever the bytes are, this comes back.
pub fn feed(parser: Parser, bytes: &[u8]) -> bool {
    match parser {
        Parser::Robot(format) => {
            let options = Options::default().file("package://p/t.obj", OBJ);
            match loads(&String::from_utf8_lossy(bytes), format, &options) {
                // whatever could be read can be written
                Ok(model) => to_mjcf(&model).text.len() + to_urdf(&model).text.len() > 0,
                Err(error) => error.to_string().is_empty(),
            }
        }
        Parser::Mesh(name) => meshes::read(&File::new(name, bytes.to_vec()), &Limits::default()).is_ok(),
    }
}

/// A small generator of random numbers (xorshift), so that a seed tells the whole story.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }
}

/// Words that parsers stumble over.
const WORDS: [&str; 34] = [
    "nan",
    "inf",
    "-inf",
    "1e400",
    "-1",
    "0",
    "99999999999999999999",
    "1e-320",
    "",
    " ",
    "\"",
    "'",
    "<",
    ">",
    "</",
    "/>",
    "&amp;",
    "&#0;",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "=",
    "@",
    "\0",
    "\u{fffd}",
    "name=\"a\"",
    "<!DOCTYPE a [<!ENTITY b \"c\">]>",
];

/// The seed with a few things done to it.
pub fn mutated(seed: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=dice.below(6) {
        let at = dice.below(bytes.len() + 1);
        let end = (at + dice.below(40)).min(bytes.len());
        match dice.below(7) {
            0 if at < bytes.len() => bytes[at] = dice.below(256) as u8,
            1 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let word = WORDS[dice.below(WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
            4 => {
                // something said elsewhere, here
                let from = dice.below(seed.len());
                let to = (from + dice.below(120)).min(seed.len());
                bytes.splice(at..end, seed[from..to].iter().copied());
            }
            5 => {
                // again and again
                let piece = bytes[at..end].to_vec();
                let times = dice.below(200);
                bytes.splice(at..at, piece.iter().copied().cycle().take(piece.len() * times));
            }
            6 => replace_number(&mut bytes, at, dice),
            _ => {}
        }
    }
    bytes
}

/// Replaces the next number by an awkward one.
fn replace_number(bytes: &mut Vec<u8>, at: usize, dice: &mut Dice) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|i| at + i) else { return };
    let length = bytes[start..].iter().position(|b| !b.is_ascii_digit()).unwrap_or(bytes.len() - start);
    let word = WORDS[dice.below(8)];
    bytes.splice(start..start + length, word.bytes());
}
