//! Operators on the spanning tree, `bellcrank.tree`: arrays in, arrays out. Shapes are checked in Python, sizes
//! again by the engine.

use crate::batch::PATIENCE;
use crate::error::{broken, said};
use crate::model::Model;
use crate::tree_run::{Call, run};
use bellcrank_tree::Precision;
use bellcrank_tree::{Reference, TreeModel};
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Instant;

/// What Python needs to know of a tree: counts, names, where joints stand.
#[pyfunction]
pub fn tree_describe<'py>(py: Python<'py>, model: &Model) -> PyResult<Bound<'py, PyDict>> {
    let (tree, told) = (model.tree_f64(), PyDict::new(py));
    told.set_item("coordinate_names", tree.coordinate_names())?;
    told.set_item("dof_names", tree.dof_names())?;
    told.set_item("frame_names", tree.frame_names())?;
    told.set_item("body_count", tree.body_count())?;
    told.set_item("loop_rows", tree.loops.rows)?;
    told.set_item("neutral", tree.neutral())?;
    let slots: Vec<_> = tree
        .slots()
        .iter()
        .map(|s| (s.name.as_str(), s.kind.name(), s.reversed, [s.q.start, s.q.end], [s.v.start, s.v.end]))
        .collect();
    told.set_item("slots", slots)?;
    Ok(told)
}

/// Runs one operator; `outputs` are written. All arrays are C-contiguous and of one type, float32 or float64.
#[pyfunction]
#[pyo3(signature = (model, operator, inputs, outputs, options))]
pub fn tree_run(
    py: Python<'_>,
    model: &Model,
    operator: &str,
    inputs: Vec<Bound<'_, PyAny>>,
    outputs: Vec<Bound<'_, PyAny>>,
    options: &Bound<'_, PyDict>,
) -> PyResult<()> {
    let call = read_call(operator, options)?;
    let Some(first) = inputs.first() else { return Err(broken("a tree operator without arrays")) };
    if first.cast::<PyArrayDyn<f32>>().is_ok() {
        with_arrays::<f32>(&inputs, &outputs, |ins, outs| in_pieces(py, (model.tree_f32(), &call), ins, outs))
    } else {
        with_arrays::<f64>(&inputs, &outputs, |ins, outs| in_pieces(py, (model.tree_f64(), &call), ins, outs))
    }
}

/// States of the first piece.
const FIRST_PIECE: usize = 4096;

/// Runs an operator on some states after the other, so that Ctrl-C need not wait for all. States do not depend on each
/// other, hence nor do results on the pieces.
fn in_pieces<E: Precision>(
    py: Python<'_>,
    (tree, call): (&TreeModel<E>, &Call),
    inputs: &[&[E]],
    outputs: Vec<&mut [E]>,
) -> PyResult<()> {
    let states = call.states;
    let widths: Vec<usize> = outputs.iter().map(|out| out.len() / states.max(1)).collect();
    let (mut rest, mut done, mut piece) = (outputs, 0, FIRST_PIECE);
    loop {
        let now = piece.min(states - done);
        let rows = |list: &&[E]| {
            let width = list.len() / states.max(1);
            done * width..(done + now) * width
        };
        let ins: Vec<&[E]> = inputs.iter().map(|list| &list[rows(list)]).collect();
        let (mut outs, mut later) = (Vec::new(), Vec::new());
        for (list, width) in rest.into_iter().zip(&widths) {
            let (out, left) = list.split_at_mut(now * width);
            outs.push(out);
            later.push(left);
        }
        let begin = Instant::now();
        py.detach(|| run(tree, call, &ins, outs))?;
        (rest, done) = (later, done + now);
        if done == states {
            return Ok(());
        }
        py.check_signals()?;
        if begin.elapsed() < PATIENCE / 2 {
            piece *= 2;
        }
    }
}

fn read_call(operator: &str, options: &Bound<'_, PyDict>) -> PyResult<Call> {
    fn get<'py, T: for<'a> FromPyObject<'a, 'py>>(
        options: &Bound<'py, PyDict>,
        name: &str,
    ) -> PyResult<Option<T>> {
        let Some(value) = options.get_item(name)? else { return Ok(None) };
        value.extract().map(Some).map_err(|_| said("WrongType", format!("{name} is of the wrong type"), ""))
    }
    let reference = match get::<String>(options, "reference")?.as_deref() {
        None | Some("local_world_aligned") => Reference::LocalWorldAligned,
        Some("local") => Reference::Local,
        Some("world") => Reference::World,
        Some(other) => {
            let hint = "\"local\", \"world\" or \"local_world_aligned\"";
            return Err(said("WrongValue", format!("there is no reference {other:?}"), hint));
        }
    };
    Ok(Call {
        operator: operator.to_owned(),
        frames: get(options, "frames")?.unwrap_or_default(),
        reference,
        held: get(options, "held")?.unwrap_or_default(),
        iterations: get(options, "iterations")?.unwrap_or(50),
        pull: get(options, "pull")?.unwrap_or(0.0),
        threads: get(options, "threads")?.unwrap_or(0),
        states: get(options, "states")?.unwrap_or(1),
    })
}

/// Borrows all arrays as slices for the time of a call.
fn with_arrays<T: Element>(
    inputs: &[Bound<'_, PyAny>],
    outputs: &[Bound<'_, PyAny>],
    call: impl FnOnce(&[&[T]], Vec<&mut [T]>) -> PyResult<()>,
) -> PyResult<()> {
    let wrong = || said("WrongType", "arrays must be C-contiguous and all float32 or all float64", "");
    let mut ins: Vec<PyReadonlyArrayDyn<'_, T>> = Vec::new();
    for array in inputs {
        ins.push(array.cast::<PyArrayDyn<T>>().map_err(|_| wrong())?.try_readonly().map_err(|_| wrong())?);
    }
    let mut outs: Vec<PyReadwriteArrayDyn<'_, T>> = Vec::new();
    for array in outputs {
        outs.push(array.cast::<PyArrayDyn<T>>().map_err(|_| wrong())?.try_readwrite().map_err(|_| wrong())?);
    }
    let mut in_slices = Vec::new();
    for array in &ins {
        in_slices.push(array.as_slice().map_err(|_| wrong())?);
    }
    let mut out_slices = Vec::new();
    for array in &mut outs {
        out_slices.push(array.as_slice_mut().map_err(|_| wrong())?);
    }
    call(&in_slices, out_slices)
}
