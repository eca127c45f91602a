//! `<geom>` and `<site>`: form, mass and surface.

use super::placement;
use super::softness;
use super::spec::{GeomSpec, SiteSpec, Surface};
use crate::mjcf::mass::principal::principal_axes;
use crate::mjcf::mass::solids;
use crate::mjcf::preamble::assets::{LoadedMesh, color};
use crate::mjcf::preamble::source::{Context, Scope};
use crate::mjcf::vocabulary::known::LOOKS;
use crate::solid::Solid;
use crate::xml::Element;
use bellcrank_math::{Pose, Quat, Sym3, Vec3};
use bellcrank_model::{Geometry, InMedium, Zone};
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Plane,
    HeightField,
    Sphere,
    Capsule,
    Ellipsoid,
    Cylinder,
    Box,
    Mesh,
    DistanceField,
}

/// Size of a site that says none [m].
const SITE: f64 = 0.005;

const FORMS: [(&str, Form); 9] = [
    ("plane", Form::Plane),
    ("hfield", Form::HeightField),
    ("sphere", Form::Sphere),
    ("capsule", Form::Capsule),
    ("ellipsoid", Form::Ellipsoid),
    ("cylinder", Form::Cylinder),
    ("box", Form::Box),
    ("mesh", Form::Mesh),
    ("sdf", Form::DistanceField),
];

/// Reads a geom; `X_LF` is the `<frame>` it stands in.
pub(in crate::mjcf) fn read(element: &Element, X_LF: Pose, scope: &Scope, context: Context<'_>) -> GeomSpec {
    let form = element.choice("type", &FORMS).unwrap_or(Form::Sphere);
    let mesh = element.attribute("mesh").map(|name| {
        let source = &scope.source;
        source.assets.mesh(name, element, context, source)
    });
    let (X_FG, geometry) = shape(element, form, mesh.as_ref(), scope, context);
    let X_LG = X_LF * X_FG;
    let (solid, mass_unknown) = mass(element, form, geometry.as_ref(), mesh.as_ref(), context);
    let covered = matches!(&geometry, Some(Geometry::TriangleMesh(mesh)) if !mesh.uvs.is_empty());
    let look = element
        .attribute("material")
        .and_then(|name| scope.source.assets.look(name, covered, element, context, &scope.source));
    // its own colour goes before the material's, and not before its texture
    let color = color(element).or(look.as_ref().map(|look| look.color)).unwrap_or([0.5, 0.5, 0.5, 1.0]);
    let bits = |name: &str| element.number(name).map_or(1, |x| x.clamp(0.0, f64::from(u32::MAX)) as u32);
    unusual(element);
    GeomSpec {
        name: String::new(),
        X_LG,
        in_medium: in_medium(
            element,
            geometry.as_ref(),
            match (form, &mesh) {
                (Form::Mesh, Some(Some(loaded))) => Some(loaded),
                _ => None,
            },
        ),
        X_LI: match (form, &mesh) {
            (Form::Mesh, Some(Some(loaded))) => {
                X_LG * Pose::new(principal_axes(loaded.unit.inertia), loaded.unit.com)
            }
            _ => X_LG,
        },
        geometry,
        solid: solid.transformed(X_LG),
        mass_unknown: mass_unknown
            && element.attribute("mesh").is_some_and(|m| scope.source.assets.has_mesh(m)),
        inertia_group: group(element, context),
        contype: bits("contype"),
        conaffinity: bits("conaffinity"),
        surface: surface(element),
        priority: element.number("priority").unwrap_or(0.0) as i32,
        margin: element.number("margin").unwrap_or(0.0),
        gap: element.number("gap").unwrap_or(0.0).max(0.0),
        softness: softness::law(element, ["solref", "solimp"]),
        softness_mix: element.number("solmix").unwrap_or(1.0).max(0.0),
        color,
        texture: look.and_then(|look| look.texture),
        place: element.place(),
    }
}

/// The group says which geoms have a mass, besides what MuJoCo's window shows.
fn group(element: &Element, context: Context<'_>) -> f64 {
    let said = element.number("group");
    if said.is_some() {
        context.notes.once(element, LOOKS);
    }
    said.unwrap_or(0.0)
}

/// What this element says and we do not do.
fn unusual(element: &Element) {
    element.ignore_attribute("adhesion", "adhesion is not simulated");
    element.ignore_attribute("surfacevel", "surfaces that run like a conveyor belt are not simulated");
}

/// The ellipsoid that air or water meets: the geom's own, or about a mesh as far as that reaches from its centre of
/// mass along its principal axes.
fn in_medium(
    element: &Element,
    geometry: Option<&Geometry>,
    mesh: Option<&Rc<LoadedMesh>>,
) -> Option<InMedium> {
    let said = element.numbers_between("fluidcoef", 1, 5).unwrap_or_default();
    let shapes = [("none", false), ("ellipsoid", true)];
    if element.choice("fluidshape", &shapes) != Some(true) {
        return None;
    }
    let (radii, X_GE) = match mesh {
        Some(loaded) => {
            let X_GE = Pose::new(principal_axes(loaded.unit.inertia), loaded.unit.com);
            let (back, mut reach) = (X_GE.inverse(), [0.0f64; 3]);
            for v in &loaded.mesh.vertices {
                for (most, x) in reach.iter_mut().zip((back * *v).to_array()) {
                    *most = most.max(x.abs());
                }
            }
            (Vec3::from_array(reach), X_GE)
        }
        None => (geometry.and_then(Geometry::semi_axes)?, Pose::identity()),
    };
    let mut own = InMedium { X_GE, ..InMedium::new(radii) };
    own.coefficients.iter_mut().zip(said).for_each(|(c, said)| *c = said);
    Some(own)
}

fn surface(element: &Element) -> Surface {
    let said = element.numbers_between("friction", 0, 3).unwrap_or_default();
    let number = |i: usize, default: f64| said.get(i).copied().unwrap_or(default);
    let friction = [number(0, 1.0), number(1, 0.005), number(2, 0.0001)];
    Surface { friction, dimensions: dimensions(element).unwrap_or(3) }
}

/// How many directions of contact forces count.
pub(in crate::mjcf) fn dimensions(element: &Element) -> Option<u8> {
    element.choice("condim", &[("1", 1), ("3", 3), ("4", 4), ("6", 6)])
}

type MaybeMesh<'a> = Option<&'a Option<Rc<LoadedMesh>>>;

/// Its pose in the frame it stands in, and its form.
fn shape(
    element: &Element,
    form: Form,
    mesh: MaybeMesh<'_>,
    scope: &Scope,
    context: Context<'_>,
) -> (Pose, Option<Geometry>) {
    let at = placement::pose(element, &scope.source.compiler);
    let size = element.numbers_between("size", 0, 3).unwrap_or_default();
    match form {
        Form::Plane => (at, Some(Geometry::Plane)),
        Form::HeightField => {
            let name = element.required("hfield");
            let field =
                name.and_then(|n| scope.source.assets.height_field(n, element, context, &scope.source));
            (at, field.map(Geometry::HeightField))
        }
        Form::DistanceField => {
            context.notes.ignore(element, "signed distance fields need a plugin of MuJoCo");
            (at, None)
        }
        Form::Mesh => match mesh {
            Some(loaded) => {
                let decoration =
                    element.number("contype") == Some(0.0) && element.number("conaffinity") == Some(0.0);
                let mesh = loaded.as_ref().map(|l| l.mesh.clone());
                // points without faces are seen as their hull
                let faces = mesh.as_ref().is_some_and(|mesh| !mesh.triangles.is_empty());
                let as_is = decoration && faces;
                (at, mesh.map(if as_is { Geometry::TriangleMesh } else { Geometry::ConvexMesh }))
            }
            None => {
                element.required("mesh");
                (at, None)
            }
        },
        _ => match mesh {
            Some(Some(loaded)) => fitted(element, form, loaded, at, scope.source.compiler.fit_aabb),
            Some(None) => (at, None),
            None => plain(element, form, &size, at),
        },
    }
}

/// A plain shape from its size, or from the two ends of its axis.
fn plain(element: &Element, form: Form, size: &[f64], at: Pose) -> (Pose, Option<Geometry>) {
    let mut size = [0, 1, 2].map(|i| size.get(i).copied().unwrap_or(0.0));
    let Some(ends) = element.vector::<6>("fromto") else { return (at, Some(sized(form, size))) };
    if form == Form::Sphere {
        element.fault_said("a sphere has no axis for fromto", "use pos and size, or a capsule");
        return (at, None);
    }
    let from = Vec3::new(ends[0], ends[1], ends[2]);
    let to = Vec3::new(ends[3], ends[4], ends[5]);
    let half = 0.5 * (from - to).norm();
    match form {
        Form::Capsule | Form::Cylinder => size[1] = half,
        // square across, whatever the second size says
        _ => size = [size[0], size[0], half],
    }
    let turn = placement::z_to(placement::direction(from - to, "fromto", element));
    (Pose::new(turn, (from + to) * 0.5), Some(sized(form, size)))
}

fn sized(form: Form, [x, y, z]: [f64; 3]) -> Geometry {
    match form {
        Form::Capsule => Geometry::Capsule { radius: x, half_length: y },
        Form::Cylinder => Geometry::Cylinder { radius: x, half_length: y },
        Form::Ellipsoid => Geometry::Ellipsoid { radii: Vec3::new(x, y, z) },
        Form::Box => Geometry::Box { half: Vec3::new(x, y, z) },
        _ => Geometry::Sphere { radius: x },
    }
}

/// A plain shape in place of a mesh: with the inertia box of the mesh, or around its bounding box.
fn fitted(
    element: &Element,
    form: Form,
    loaded: &LoadedMesh,
    at: Pose,
    aabb: bool,
) -> (Pose, Option<Geometry>) {
    let unit = loaded.unit;
    if unit.mass <= 0.0 {
        element.fault_said("the mesh has no volume to fit a shape to", "use inertia=\"shell\" on the mesh");
        return (at, None);
    }
    let (moments, axes) = unit.inertia.eigen();
    // largest moment first: z is the long axis
    let turn = Quat::from_mat3(bellcrank_math::Mat3::from_columns(axes.z, axes.y, axes.z.cross(axes.y)));
    let principal = Pose::new(turn, unit.com);
    let (centre, half) =
        if aabb { bounds(loaded, principal) } else { (Vec3::zero(), inertia_box(moments, unit.mass)) };
    let [x, y, z] = half;
    let size = match (form, aabb) {
        (Form::Sphere, false) => [(x + y + z) / 3.0, 0.0, 0.0],
        (Form::Capsule, false) => [(x + y) / 2.0, (z - (x + y) / 4.0).max(0.0), 0.0],
        (Form::Cylinder, false) => [(x + y) / 2.0, z, 0.0],
        (Form::Sphere, true) => [x.max(y).max(z), 0.0, 0.0],
        (Form::Capsule, true) => [x.max(y), (z - x.max(y)).max(0.0), 0.0],
        (Form::Cylinder, true) => [x.max(y), z, 0.0],
        _ => half,
    };
    let scale = element.number("fitscale").unwrap_or(1.0);
    let geometry = sized(form, size.map(|s| s * scale));
    (at * principal * Pose::from_position(centre), Some(geometry))
}

/// Half edges of the box with these principal moments (rising), largest moment about x.
fn inertia_box([a, b, c]: [f64; 3], mass: f64) -> [f64; 3] {
    let edge = |other: f64, another: f64, own: f64| ((other + another - own).max(0.0) * 1.5 / mass).sqrt();
    [edge(a, b, c), edge(a, c, b), edge(b, c, a)]
}

/// Centre and half edges of the box around the mesh, in the given frame.
fn bounds(loaded: &LoadedMesh, frame: Pose) -> (Vec3, [f64; 3]) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    let back = frame.inverse();
    for v in &loaded.mesh.vertices {
        for (i, x) in (back * *v).to_array().into_iter().enumerate() {
            (low[i], high[i]) = (low[i].min(x), high[i].max(x));
        }
    }
    let centre = [0, 1, 2].map(|i| 0.5 * (low[i] + high[i]));
    (Vec3::from_array(centre), [0, 1, 2].map(|i| 0.5 * (high[i] - low[i])))
}

/// Mass and inertia in the geom's own frame; and whether they could not be found.
fn mass(
    element: &Element,
    form: Form,
    geometry: Option<&Geometry>,
    mesh: MaybeMesh<'_>,
    context: Context<'_>,
) -> (Solid, bool) {
    let shell = element.boolean("shellinertia") == Some(true);
    let density = element.number("density").unwrap_or(1000.0);
    let stated = element.number("mass");
    if stated.unwrap_or(density) == 0.0 {
        return (solids::nothing(), false);
    }
    let unit = match (form, geometry, mesh) {
        (Form::Mesh, _, Some(Some(loaded))) => loaded.unit,
        (Form::Mesh, _, _) => return (solids::nothing(), true),
        (_, None, Some(None)) => return (solids::nothing(), true),
        (_, Some(geometry), _) if shell => solids::shell(geometry).unwrap_or_else(|| {
            context.notes.ignore(element, "the shell of an ellipsoid: its mass is taken as filled");
            solids::filled(geometry)
        }),
        (_, Some(geometry), _) => solids::filled(geometry),
        (_, None, _) => solids::nothing(),
    };
    if unit.mass <= 0.0 {
        return (solids::nothing(), false);
    }
    (scaled(unit, stated.map_or(density, |mass| mass / unit.mass)), false)
}

/// All of it times a factor.
pub(in crate::mjcf) fn scaled(solid: Solid, factor: f64) -> Solid {
    Solid { mass: solid.mass * factor, inertia: solid.inertia * factor, ..solid }
}

/// Reads a site; `X_LF` is the `<frame>` it stands in.
pub(in crate::mjcf) fn site(element: &Element, X_LF: Pose, scope: &Scope) -> SiteSpec {
    let form = element.choice("type", &FORMS[2..7]).unwrap_or(Form::Sphere);
    let said = element.numbers_between("size", 0, 3).unwrap_or_default();
    // where nothing is said, a site is 5 mm large
    let mut size = [0, 1, 2].map(|i| said.get(i).copied().unwrap_or(SITE));
    let at = match element.vector::<6>("fromto") {
        Some(v) => {
            let (from, to) = (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5]));
            let turn = placement::z_to(placement::direction(from - to, "fromto", element));
            let half = 0.5 * (from - to).norm();
            match form {
                Form::Capsule | Form::Cylinder => size[1] = half,
                _ => size[2] = half,
            }
            Pose::new(turn, (from + to) * 0.5)
        }
        None => placement::pose(element, &scope.source.compiler),
    };
    let [x, y, z] = size;
    let zone = match form {
        Form::Capsule => Zone::Capsule { radius: x, half_length: y },
        Form::Cylinder => Zone::Cylinder { radius: x, half_length: y },
        Form::Ellipsoid => Zone::Ellipsoid { radii: Vec3::new(x, y, z) },
        Form::Box => Zone::Box { half: Vec3::new(x, y, z) },
        _ => Zone::ball(x),
    };
    SiteSpec { name: String::new(), X_LS: X_LF * at, zone, place: element.place() }
}

/// `<inertial>`: what it says, and where the principal axes are.
pub(in crate::mjcf) fn inertial(element: &Element, scope: &Scope) -> (Solid, Pose) {
    let at = placement::pose(element, &scope.source.compiler);
    let mass = element.required_number("mass").unwrap_or(0.0);
    let moments = match element.vector::<6>("fullinertia") {
        Some([xx, yy, zz, xy, xz, yz]) => {
            if element.has("diaginertia") {
                element.fault_said("the inertia is said twice", "keep diaginertia or fullinertia");
            }
            let full = Sym3 { xx, xy, xz, yy, yz, zz };
            let solid = Solid { mass, com: at.p, inertia: full.rotated(at.R.to_mat3()) };
            return (solid, Pose::new(at.R * principal_axes(full), at.p));
        }
        None => {
            let [x, y, z] = element.vector("diaginertia").unwrap_or([0.0; 3]);
            Sym3::diagonal(x, y, z)
        }
    };
    (Solid { mass, com: at.p, inertia: moments.rotated(at.R.to_mat3()) }, at)
}
