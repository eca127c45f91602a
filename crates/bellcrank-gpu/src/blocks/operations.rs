//! The operations on 6×6 blocks of which factor and solve consist, cut out of [`BlockFactor`] itself.
//!
//! The factor's functions are recorded on mechanisms of one to four bodies, where each operation happens once, and cut where it begins
//! and ends. What comes after it is taken away by letting the factor there be the unit matrix: dividing by it changes nothing. So no
//! line of the factorisation is written again, and [`BlockFactor`] keeps its inside to itself.

use crate::recorded::{NotRecordable, Part, Recorded, Recording, record_part};
use bellcrank_math::Real;
use bellcrank_solve::{Block, BlockFactor, BlockPattern};

/// Numbers of a diagonal block: its lower triangle by rows, then the reciprocals of the factor's diagonal.
pub const DIAGONAL: usize = 27;
const TRIANGLE: usize = 21;
/// Numbers of an off-diagonal block, by rows.
pub const OFF_DIAGONAL: usize = 36;

/// What can be done to what stands at a place a, with what stands at b and c.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// What rounding may leave of the pivots of A, kept until the reciprocals take its place.
    NoteRounding,
    /// A ← L with L Lᵀ = A, and the reciprocals of L's diagonal.
    FactorDiagonal,
    /// A ← A L⁻ᵀ, L at b.
    DivideRight,
    /// A ← A − B Bᵀ on the diagonal.
    SubtractSquare,
    /// A ← A − B Cᵀ
    SubtractProduct,
    /// A ← −B Cᵀ, where nothing was.
    MinusProduct,
    /// a ← L⁻¹ a, L at b.
    ForwardDiagonal,
    /// a ← a − B c
    ForwardBlock,
    /// a ← a − Bᵀ c
    BackwardBlock,
    /// a ← L⁻ᵀ a, L at b.
    BackwardDiagonal,
}

/// One of three places, and how far from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// 0 is a, 1 is b, 2 is c.
    pub place: usize,
    /// Numbers from there.
    pub offset: usize,
}

/// An operation with its recording.
#[derive(Clone, Debug)]
pub struct BlockOperation {
    /// Its name in texts.
    pub name: &'static str,
    /// Where each input stands.
    pub inputs: Vec<Spot>,
    /// Where each result goes, counted from a.
    pub outputs: Vec<usize>,
    /// What is done.
    pub recording: Recording,
}

/// All operations, by their number.
///
/// # Errors
/// When the factor is not the one that these cuts were made for.
pub fn operations() -> Result<Vec<BlockOperation>, NotRecordable> {
    let subtract_product = product("subtract_product", &[(0, 1), (0, 2), (1, 2)], 3)?;
    let all = vec![
        note_rounding()?,
        factor_diagonal()?,
        divide_right()?,
        square_of(&subtract_product),
        subtract_product,
        product("minus_product", &[(0, 1), (1, 2), (2, 3), (3, 0)], 4)?,
        forward_diagonal()?,
        forward_block()?,
        backward_block()?,
        backward_diagonal()?,
    ];
    Ok(all)
}

/// A matrix of a few bodies, its numbers taken from those that are recorded.
struct Small<'a> {
    pattern: BlockPattern,
    factor: BlockFactor<Recorded>,
    rest: &'a [Recorded],
}

impl<'a> Small<'a> {
    /// Numbers of all blocks of such a matrix.
    fn size(edges: &[(usize, usize)], nodes: usize) -> usize {
        let pattern = BlockPattern::new(nodes, edges.iter().copied());
        TRIANGLE * nodes + OFF_DIAGONAL * pattern.off_diagonal_count()
    }

    fn new(edges: &[(usize, usize)], nodes: usize, numbers: &'a [Recorded]) -> Self {
        let pattern = BlockPattern::new(nodes, edges.iter().copied());
        let mut small = Small { factor: BlockFactor::new(&pattern), pattern, rest: numbers };
        for k in 0..nodes {
            *small.factor.diagonal_mut(k) = triangle(small.take(TRIANGLE));
        }
        for q in 0..small.pattern.off_diagonal_count() {
            *small.factor.off_diagonal_mut(q) = square(small.take(OFF_DIAGONAL));
        }
        small
    }

    fn take(&mut self, count: usize) -> &'a [Recorded] {
        let (own, rest) = self.rest.split_at(count);
        self.rest = rest;
        own
    }

    fn factored(mut self) -> Self {
        self.factor.factor(&self.pattern);
        self
    }

    fn lower(&mut self, position: usize) -> Vec<Recorded> {
        let block = *self.factor.diagonal_mut(position);
        (0..6).flat_map(|i| block[i][..=i].to_vec()).collect()
    }

    /// The factor at a position with the reciprocals of its diagonal, which are there already.
    fn with_reciprocals(&mut self, position: usize) -> Vec<Recorded> {
        let block = *self.factor.diagonal_mut(position);
        let inverse = (0..6).map(|i| block[i][i].recip());
        self.lower(position).into_iter().chain(inverse).collect()
    }

    /// The block of two nodes; the later one has the rows.
    fn off_diagonal(&mut self, a: usize, b: usize) -> Vec<Recorded> {
        let (q, _) = self.pattern.block(a, b).unwrap_or_default();
        self.factor.off_diagonal_mut(q).concat()
    }

    /// L = 1 at a position: nothing is left of a division by it.
    fn unit(&mut self, position: usize) -> Vec<(Recorded, f32)> {
        let all = self.with_reciprocals(position);
        let is_diagonal = |at: usize| [0, 2, 5, 9, 14, 20].contains(&at) || at >= TRIANGLE;
        all.into_iter().enumerate().map(|(at, x)| (x, if is_diagonal(at) { 1.0 } else { 0.0 })).collect()
    }
}

fn six(x: &[Recorded]) -> [Recorded; 6] {
    std::array::from_fn(|k| x[k])
}

fn square(x: &[Recorded]) -> Block<Recorded> {
    std::array::from_fn(|i| six(&x[6 * i..]))
}

fn triangle(x: &[Recorded]) -> Block<Recorded> {
    let mut block = [[Recorded::zero(); 6]; 6];
    for i in 0..6 {
        block[i][..=i].copy_from_slice(&x[i * (i + 1) / 2..][..=i]);
    }
    block
}

/// So many numbers from each of a, b and c, from their beginnings.
fn spots(counts: &[usize]) -> Vec<Spot> {
    let of = |(place, count): (usize, &usize)| (0..*count).map(move |offset| Spot { place, offset });
    counts.iter().enumerate().flat_map(of).collect()
}

/// An operation that reads so many numbers at a, b and c, and writes from a on.
fn operation(
    name: &'static str,
    reads: &[usize],
    (inputs, work): (usize, impl FnOnce(&[Recorded]) -> Part),
) -> Result<BlockOperation, NotRecordable> {
    let recording = record_part(name, inputs, work)?;
    Ok(BlockOperation {
        name,
        inputs: spots(reads),
        outputs: (0..recording.results.len()).collect(),
        recording,
    })
}

/// The bounds below which no pivot may fall, from the roots that they are under.
fn bounds(small: &mut Small<'_>) -> Vec<Recorded> {
    let block = *small.factor.diagonal_mut(0);
    (0..6).filter_map(|i| block[i][i].bound_under_root()).collect()
}

fn note_rounding() -> Result<BlockOperation, NotRecordable> {
    let work = |x: &[Recorded]| {
        let mut small = Small::new(&[], 1, x).factored();
        Part { given: x.to_vec(), known: vec![], results: bounds(&mut small) }
    };
    let mut noted = operation("note_rounding", &[TRIANGLE], (TRIANGLE, work))?;
    noted.outputs = (TRIANGLE..DIAGONAL).collect();
    Ok(noted)
}

fn factor_diagonal() -> Result<BlockOperation, NotRecordable> {
    let work = |x: &[Recorded]| {
        let mut small = Small::new(&[], 1, x).factored();
        let given = x.iter().copied().chain(bounds(&mut small)).collect();
        Part { given, known: vec![], results: small.with_reciprocals(0) }
    };
    operation("factor_diagonal", &[DIAGONAL], (TRIANGLE, work))
}

fn divide_right() -> Result<BlockOperation, NotRecordable> {
    let edges = [(0, 1)];
    let work = |x: &[Recorded]| {
        let mut small = Small::new(&edges, 2, x);
        let before = small.off_diagonal(0, 1);
        let mut small = small.factored();
        let given = before.into_iter().chain(small.with_reciprocals(0)).collect();
        Part { given, known: vec![], results: small.off_diagonal(0, 1) }
    };
    operation("divide_right", &[OFF_DIAGONAL, DIAGONAL], (Small::size(&edges, 2), work))
}

/// A − B Cᵀ in a triangle of three bodies, −B Cᵀ in a ring of four, where the first body's neighbours are not coupled before.
fn product(
    name: &'static str,
    edges: &[(usize, usize)],
    nodes: usize,
) -> Result<BlockOperation, NotRecordable> {
    let last = nodes - 1;
    let work = |x: &[Recorded]| {
        let mut small = Small::new(edges, nodes, x);
        let is_fill = nodes == 4;
        let before = if is_fill { vec![] } else { small.off_diagonal(1, last) };
        let mut small = small.factored();
        let factors = [small.off_diagonal(0, last), small.off_diagonal(0, 1)].concat();
        let given = before.into_iter().chain(factors).collect();
        Part { given, known: small.unit(1), results: small.off_diagonal(1, last) }
    };
    let before = if nodes == 4 { 0 } else { OFF_DIAGONAL };
    operation(name, &[before, OFF_DIAGONAL, OFF_DIAGONAL], (Small::size(edges, nodes), work))
}

/// A − B Bᵀ: what is on and below the diagonal of A − B Cᵀ with C = B.
fn square_of(product: &BlockOperation) -> BlockOperation {
    let to: Vec<u32> = product
        .inputs
        .iter()
        .map(|spot| match spot.place {
            0 => spot.offset,
            _ => OFF_DIAGONAL + spot.offset,
        } as u32)
        .collect();
    let lower: Vec<usize> = (0..6).flat_map(|i| (0..=i).map(move |j| 6 * i + j)).collect();
    let mut recording = product.recording.with_inputs(&to);
    recording.results = lower.iter().map(|k| recording.results[*k]).collect();
    let (graph, results) = recording.graph.pruned(&recording.results);
    let mut inputs = spots(&[OFF_DIAGONAL, OFF_DIAGONAL]);
    for (offset, k) in lower.iter().enumerate() {
        inputs[*k].offset = offset;
    }
    let recording = Recording { graph, results };
    BlockOperation { name: "subtract_square", inputs, outputs: (0..TRIANGLE).collect(), recording }
}

fn forward_diagonal() -> Result<BlockOperation, NotRecordable> {
    let work = |x: &[Recorded]| {
        let mut small = Small::new(&[], 1, x).factored();
        let b = small.take(6);
        let given = b.iter().copied().chain(small.with_reciprocals(0)).collect();
        Part { given, known: vec![], results: forward(&small, [None, Some(b)]).concat() }
    };
    operation("forward_diagonal", &[6, DIAGONAL], (TRIANGLE + 6, work))
}

/// L⁻¹ b for right-hand sides on the first body and on the last.
fn forward(small: &Small<'_>, b: [Option<&[Recorded]>; 2]) -> Vec<[Recorded; 6]> {
    let last = small.pattern.nodes() - 1;
    let path = small.pattern.path(&[0]);
    let mut w = vec![[Recorded::zero(); 6]; path.len()];
    let rows = b.map(|b| b.map_or([Recorded::zero(); 6], six));
    small.factor.forward_path::<1>(&path, (b[0].map(|_| 0), last), &[rows], &mut w);
    w
}

/// Two bodies with right-hand sides b: the factor, y = L⁻¹ b and H⁻¹ b.
struct Solved<'a> {
    small: Small<'a>,
    b: [&'a [Recorded]; 2],
    y: Vec<[Recorded; 6]>,
    solution: Vec<[Recorded; 6]>,
}

fn solved(x: &[Recorded]) -> Solved<'_> {
    let mut small = Small::new(&[(0, 1)], 2, x).factored();
    let b = [small.take(6), small.take(6)];
    let y = forward(&small, b.map(Some));
    let mut solution = b.map(six).to_vec();
    small.factor.solve(&small.pattern, &mut solution);
    Solved { small, b, y, solution }
}

fn forward_block() -> Result<BlockOperation, NotRecordable> {
    let work = |x: &[Recorded]| {
        let Solved { mut small, b, y, .. } = solved(x);
        let given = [b[1].to_vec(), small.off_diagonal(0, 1), y[0].to_vec()].concat();
        Part { given, known: small.unit(1), results: y[1].to_vec() }
    };
    operation("forward_block", &[6, OFF_DIAGONAL, 6], (Small::size(&[(0, 1)], 2) + 12, work))
}

fn backward_block() -> Result<BlockOperation, NotRecordable> {
    let work = |x: &[Recorded]| {
        let Solved { mut small, y, solution, .. } = solved(x);
        let given = [y[0].to_vec(), small.off_diagonal(0, 1), solution[1].to_vec()].concat();
        Part { given, known: small.unit(0), results: solution[0].to_vec() }
    };
    operation("backward_block", &[6, OFF_DIAGONAL, 6], (Small::size(&[(0, 1)], 2) + 12, work))
}

fn backward_diagonal() -> Result<BlockOperation, NotRecordable> {
    let work = |x: &[Recorded]| {
        let mut small = Small::new(&[], 1, x).factored();
        let b = small.take(6);
        let y = forward(&small, [None, Some(b)]);
        let mut solution = vec![six(b)];
        small.factor.solve(&small.pattern, &mut solution);
        let given = y[0].iter().copied().chain(small.with_reciprocals(0)).collect();
        Part { given, known: vec![], results: solution[0].to_vec() }
    };
    operation("backward_diagonal", &[6, DIAGONAL], (TRIANGLE + 6, work))
}
