//! Contacts in lanes: patches of bodies that touch, coloured so that no two of a colour move the same body.

use crate::cone::Cone;
use crate::sparse::SparseRow;
use bellcrank_math::Elem;

/// Colours that are told apart by one bit each; patches beyond them go one by one.
const COLOURS: usize = 64;

/// Lanes of one group: patches of one colour, whose contacts have as many rows. The contacts of a patch follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// Rows of each contact.
    pub rows: usize,
    /// Contacts of the deepest patch; what others lack is zero and moves nothing.
    pub depth: usize,
    /// Where its constants begin, its rows and its contacts: numbers of all lanes follow each other.
    pub constant: usize,
    pub value: usize,
    pub contact: usize,
}

/// All contacts of a problem in lanes.
#[derive(Clone, Debug, Default)]
pub(super) struct Patches<E> {
    pub groups: Vec<Group>,
    /// Bodies a and b of every lane, group by group; what is missing is the body behind the last.
    pub bodies: Vec<u32>,
    /// By group and contact: see [`Numbers`].
    pub constants: Vec<E>,
    /// By row of the problem: where its lane stands among the values.
    pub places: Vec<u32>,
    /// How many values there are, and how many lanes of contacts.
    pub len: usize,
    pub contacts: usize,
    patches: Vec<Patch>,
    colours: Vec<u64>,
}

/// Contacts that follow each other and are between the same two bodies.
#[derive(Clone, Copy, Debug)]
struct Patch {
    colour: u32,
    rows: u32,
    count: u32,
    /// Its first cone and row.
    cone: u32,
    row: u32,
}

/// Where the constants of a contact with so many rows stand, in numbers of all lanes.
pub(super) struct Numbers {
    /// L⁻¹Jᵀ of each row on body a and on body b: twelve each.
    pub reach: usize,
    /// 1/G of the normal, and over the largest eigenvalue of the tangents' part of G.
    pub inverse: [usize; 2],
    /// Those two themselves.
    pub stiff: [usize; 2],
    pub mu: usize,
    /// G between the normal and each tangent.
    pub couple: usize,
    /// C of each row.
    pub compliance: usize,
    pub len: usize,
}

impl Numbers {
    #[inline(always)]
    pub const fn of(rows: usize) -> Self {
        let first = 12 * rows;
        Numbers {
            reach: 0,
            inverse: [first, first + 1],
            stiff: [first + 2, first + 3],
            mu: first + 4,
            couple: first + 5,
            compliance: first + 4 + rows,
            len: first + 4 + 2 * rows,
        }
    }
}

impl<E: Elem> Patches<E> {
    /// Takes cones and their rows, whose blocks are L⁻¹Jᵀ with L Lᵀ = H, the matrix of a single body.
    pub fn take(&mut self, bodies: usize, cones: &[Cone<E>], rows: &[SparseRow<E>]) {
        self.find(bodies, cones, rows);
        self.patches
            .sort_by_key(|patch| (patch.colour, patch.rows, std::cmp::Reverse(patch.count), patch.cone));
        self.groups.clear();
        self.bodies.clear();
        self.constants.clear();
        self.places.clear();
        self.places.resize(rows.len(), 0);
        (self.len, self.contacts) = (0, 0);
        let patches = std::mem::take(&mut self.patches);
        let mut start = 0;
        while start < patches.len() {
            let first = patches[start];
            let same = |p: &&Patch| p.colour == first.colour && p.rows == first.rows;
            let most = if (first.colour as usize) < COLOURS { E::LANE_COUNT } else { 1 };
            let count = patches[start..].iter().take(most).take_while(same).count();
            self.add_group(bodies, &patches[start..start + count], cones, rows);
            start += count;
        }
        self.patches = patches;
    }

    /// Lists patches and colours them, greedily.
    fn find(&mut self, bodies: usize, cones: &[Cone<E>], rows: &[SparseRow<E>]) {
        self.patches.clear();
        self.colours.clear();
        self.colours.resize(bodies, 0);
        let (mut row, mut last, mut beyond) = (0, None, COLOURS as u32);
        for (cone, own) in cones.iter().enumerate() {
            let count = own.rows();
            let key = (rows[row].bodies, count);
            match self.patches.last_mut() {
                Some(patch) if last == Some(key) => patch.count += 1,
                _ => {
                    let (a, b) = rows[row].bodies;
                    let taken = self.colours[b] | a.map_or(0, |a| self.colours[a]);
                    let mut colour = (!taken).trailing_zeros();
                    if colour as usize == COLOURS {
                        (colour, beyond) = (beyond, beyond + 1);
                    } else {
                        for body in a.into_iter().chain([b]) {
                            self.colours[body] |= 1 << colour;
                        }
                    }
                    let (cone, row) = (cone as u32, row as u32);
                    self.patches.push(Patch { colour, rows: count as u32, count: 1, cone, row });
                }
            }
            (row, last) = (row + count, Some(key));
        }
    }

    fn add_group(&mut self, none: usize, patches: &[Patch], cones: &[Cone<E>], rows: &[SparseRow<E>]) {
        let (lanes, n) = (E::LANE_COUNT, patches[0].rows as usize);
        let depth = patches.iter().map(|patch| patch.count as usize).max().unwrap_or(0);
        let (constant, value, size) = (self.constants.len(), self.len, Numbers::of(n).len);
        self.groups.push(Group { rows: n, depth, constant, value, contact: self.contacts });
        self.contacts += depth * lanes;
        self.constants.resize(constant + depth * size * lanes, E::zero());
        self.len += depth * n * lanes;
        let first = self.bodies.len();
        self.bodies.resize(first + 2 * lanes, none as u32);
        for (lane, patch) in patches.iter().enumerate() {
            let (a, b) = rows[patch.row as usize].bodies;
            self.bodies[first + lane] = a.unwrap_or(none) as u32;
            self.bodies[first + lanes + lane] = b as u32;
            for k in 0..patch.count as usize {
                let row = patch.row as usize + k * n;
                for i in 0..n {
                    self.places[row + i] = (value + (k * n + i) * lanes + lane) as u32;
                }
                let Cone::Coulomb { mu, .. } = cones[patch.cone as usize + k] else { continue };
                let own = &mut self.constants[constant + k * size * lanes..][..size * lanes];
                put_contact(mu, &rows[row..row + n], lane, own);
            }
        }
    }
}

/// Writes the constants of one contact into its lane.
fn put_contact<E: Elem>(mu: E, rows: &[SparseRow<E>], lane: usize, out: &mut [E]) {
    let (n, at, lanes) = (rows.len() - 1, Numbers::of(rows.len()), E::LANE_COUNT);
    let mut put = |k: usize, value: E| out[k * lanes + lane] = value;
    for (k, row) in rows.iter().enumerate() {
        let sides = [row.bodies.0.is_some(), true];
        for (side, block) in row.blocks.iter().enumerate().filter(|(side, _)| sides[*side]) {
            for (c, x) in block.iter().enumerate() {
                put(at.reach + 12 * k + 6 * side + c, *x);
            }
        }
        put(at.compliance + k, row.compliance);
    }
    let entry = |i: usize, j: usize| {
        let mut sum = if i == j { rows[i].compliance.to_f64() } else { 0.0 };
        for side in if rows[i].bodies.0.is_some() { 0..2 } else { 1..2 } {
            for c in 0..6 {
                sum += rows[i].blocks[side][c].to_f64() * rows[j].blocks[side][c].to_f64();
            }
        }
        sum
    };
    // the largest sum of a row is at least the largest eigenvalue
    let sum = |i: usize| (0..n).map(|j| entry(i, j).abs()).sum::<f64>();
    let tangents = if n == 2 {
        largest_of_two(entry(0, 0), entry(0, 1), entry(1, 1))
    } else {
        (0..n).map(sum).fold(0.0, f64::max)
    };
    let normal = entry(n, n);
    for (k, stiff) in [normal, tangents].into_iter().enumerate() {
        let inverse = if stiff > 0.0 { 1.0 / stiff } else { 0.0 };
        put(at.inverse[k], E::from_f64(inverse));
        put(at.stiff[k], E::from_f64(stiff));
    }
    put(at.mu, mu);
    for i in 0..n {
        put(at.couple + i, E::from_f64(entry(i, n)));
    }
}

/// The largest eigenvalue of [[a, b], [b, d]].
fn largest_of_two(a: f64, b: f64, d: f64) -> f64 {
    let half = 0.5 * (a - d);
    0.5 * (a + d) + half.mul_add(half, b * b).sqrt()
}
