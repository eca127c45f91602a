//! A policy as an ONNX model: observations (batch, n) in, actions (batch, m) out, normalisation and all.
//!
//! clip((x − mean)·inverse, ±8) → Gemm, Elu, … → Gemm → clip(±1). The file is a protocol buffer `ModelProto` (onnx.proto3):
//! ir_version = 1, producer_name = 2, graph = 7, opset_import = 8, metadata_props = 14; `GraphProto`: node = 1, name = 2,
//! initializer = 5, input = 11, output = 12; `NodeProto`: input = 1, output = 2, name = 3, op_type = 4, attribute = 5.

use crate::error::LearnError;
use crate::normaliser::REACH;
use crate::policy::Policy;
use crate::tensors::write_whole;
use crate::wire::Message;
use std::path::Path;

const IR_VERSION: u64 = 8;
const OPSET: u64 = 17;
/// TensorProto.DataType.FLOAT
const FLOAT: u64 = 1;

/// A graph while it is written.
#[derive(Default)]
struct Graph {
    message: Message,
    nodes: usize,
}

impl Graph {
    /// A constant tensor.
    fn constant(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let mut tensor = Message::default();
        shape.iter().for_each(|n| tensor.integer(1, *n as u64));
        tensor.integer(2, FLOAT);
        tensor.text(8, name);
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        tensor.raw(9, &bytes);
        self.message.message(5, &tensor);
    }

    /// An operation; gives the name of its output.
    fn node(
        &mut self,
        operation: &str,
        inputs: &[&str],
        output: Option<&str>,
        attributes: &[(&str, u64)],
    ) -> String {
        self.nodes += 1;
        let output = output.map_or_else(|| format!("x{}", self.nodes), str::to_owned);
        let mut node = Message::default();
        inputs.iter().for_each(|name| node.text(1, name));
        node.text(2, &output);
        node.text(3, &format!("{operation}_{}", self.nodes));
        node.text(4, operation);
        for (name, value) in attributes {
            let mut attribute = Message::default();
            attribute.text(1, name);
            attribute.integer(3, *value);
            attribute.integer(20, 2); // AttributeProto.INT
            node.message(5, &attribute);
        }
        self.message.message(1, &node);
        output
    }
}

/// `ValueInfoProto { name = 1, type = 2 }` of a float tensor of shape (batch, width).
fn value(name: &str, width: usize) -> Message {
    let (mut batch, mut columns) = (Message::default(), Message::default());
    batch.text(2, "batch");
    columns.integer(1, width as u64);
    let mut shape = Message::default();
    shape.message(1, &batch);
    shape.message(1, &columns);
    let mut tensor = Message::default();
    tensor.integer(1, FLOAT);
    tensor.message(2, &shape);
    let mut kind = Message::default();
    kind.message(1, &tensor);
    let mut info = Message::default();
    info.text(1, name);
    info.message(2, &kind);
    info
}

impl Policy {
    /// Writes it as an ONNX model.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn export_onnx(&self, path: &Path) -> Result<(), LearnError> {
        write_whole(path, &self.to_onnx())
    }

    /// The model's bytes.
    pub fn to_onnx(&self) -> Vec<u8> {
        let (n, m) = self.ends();
        let mut graph = Graph::default();
        graph.constant("mean", &[n], &self.scale.mean);
        graph.constant("inverse_deviation", &[n], &self.scale.inverse);
        for (name, value) in [("reach", REACH), ("minus_reach", -REACH), ("one", 1.0), ("minus_one", -1.0)] {
            graph.constant(name, &[], &[value]);
        }
        let x = graph.node("Sub", &["observations", "mean"], None, &[]);
        let x = graph.node("Mul", &[&x, "inverse_deviation"], None, &[]);
        let mut x = graph.node("Clip", &[&x, "minus_reach", "reach"], None, &[]);
        let layers = self.network.layers();
        for (l, &(inputs, outputs, first, bias)) in layers.iter().enumerate() {
            let (weight, offset) = (format!("actor.{l}.weight"), format!("actor.{l}.bias"));
            graph.constant(&weight, &[outputs, inputs], &self.parameters[first..bias]);
            graph.constant(&offset, &[outputs], &self.parameters[bias..bias + outputs]);
            x = graph.node("Gemm", &[&x, &weight, &offset], None, &[("transB", 1)]);
            if l + 1 < layers.len() {
                x = graph.node("Elu", &[&x], None, &[]);
            }
        }
        graph.node("Clip", &[&x, "minus_one", "one"], Some("actions"), &[]);
        let mut graph = graph.message;
        graph.text(2, &self.task);
        graph.message(11, &value("observations", n));
        graph.message(12, &value("actions", m));
        self.model(&graph)
    }

    fn model(&self, graph: &Message) -> Vec<u8> {
        let mut opset = Message::default();
        opset.text(1, "");
        opset.integer(2, OPSET);
        let mut model = Message::default();
        model.integer(1, IR_VERSION);
        model.text(2, "bellcrank");
        model.message(7, graph);
        model.message(8, &opset);
        for (name, value) in [("task", self.task.clone()), ("seed", self.seed.to_string())] {
            let mut entry = Message::default();
            entry.text(1, name);
            entry.text(2, &value);
            model.message(14, &entry);
        }
        model.bytes
    }
}
