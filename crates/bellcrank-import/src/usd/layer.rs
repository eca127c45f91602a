//! What a USD text file says, before any meaning is given to it.

use std::cell::Cell;

/// A value. Numbers, vectors, matrices and arrays of them are all one row of numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Numbers(Vec<f64>),
    /// A string, or a bare word such as `true` or `None`.
    Text(String),
    /// `</World/robot>`
    Path(String),
    /// `@file@</path>`; either may be empty.
    Asset(String, String),
    List(Vec<Value>),
    Dictionary(Vec<(String, Value)>),
}

/// An attribute or a relationship.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub name: String,
    pub value: Option<Value>,
    pub line: u32,
    pub read: Cell<bool>,
}

/// A prim: a named node with properties, metadata and children.
#[derive(Clone, Debug, Default)]
pub(super) struct Prim {
    /// `Xform`, `PhysicsRevoluteJoint`, …; empty where it is not said.
    pub kind: String,
    pub name: String,
    /// `class`: only there to be inherited from.
    pub is_class: bool,
    /// `over`: adds to a prim that is defined elsewhere.
    pub is_over: bool,
    pub metadata: Vec<(String, Value)>,
    pub properties: Vec<Property>,
    pub children: Vec<Prim>,
    /// Set, variant, what it adds.
    pub variants: Vec<(String, String, Prim)>,
    pub line: u32,
}

/// One file.
#[derive(Clone, Debug, Default)]
pub(super) struct Layer {
    pub metadata: Vec<(String, Value)>,
    pub prims: Vec<Prim>,
}

impl Value {
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Numbers(numbers) if numbers.len() == 1 => Some(numbers[0]),
            _ => None,
        }
    }

    /// The items of a list, or the one value that is there.
    pub fn items(&self) -> &[Value] {
        match self {
            Value::List(items) => items,
            one => std::slice::from_ref(one),
        }
    }
}

/// The entry of that name; operators such as `prepend` are dropped by the parser.
pub(super) fn entry<'a>(metadata: &'a [(String, Value)], key: &str) -> Option<&'a Value> {
    metadata.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

impl Prim {
    /// A property's value; counts as reading it.
    pub fn value(&self, name: &str) -> Option<&Value> {
        let property = self.properties.iter().find(|p| p.name == name)?;
        property.read.set(true);
        property.value.as_ref()
    }

    pub fn number(&self, name: &str) -> Option<f64> {
        self.value(name)?.number()
    }

    pub fn numbers<const N: usize>(&self, name: &str) -> Option<[f64; N]> {
        match self.value(name)? {
            Value::Numbers(numbers) => numbers.as_slice().try_into().ok(),
            _ => None,
        }
    }

    pub fn row(&self, name: &str) -> Option<&[f64]> {
        match self.value(name)? {
            Value::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }

    pub fn token(&self, name: &str) -> Option<&str> {
        self.value(name)?.text()
    }

    /// Zero, `false` and `"false"` are false.
    pub fn is_true(&self, name: &str, default: bool) -> bool {
        match self.value(name) {
            Some(Value::Text(text)) => text == "true" || text == "True",
            Some(Value::Numbers(numbers)) => numbers.first().is_some_and(|x| *x != 0.0),
            _ => default,
        }
    }

    /// The paths that a relationship names.
    pub fn targets(&self, name: &str) -> Vec<&str> {
        let items = self.value(name).map_or(&[][..], Value::items);
        items
            .iter()
            .filter_map(|item| if let Value::Path(path) = item { Some(&**path) } else { None })
            .collect()
    }

    /// Whether this schema was applied, as `PhysicsMassAPI` or, with an instance, `PhysicsDriveAPI:angular`.
    pub fn has_api(&self, schema: &str) -> bool {
        self.apis().any(|api| api == schema)
    }

    pub fn apis(&self) -> impl Iterator<Item = &str> {
        entry(&self.metadata, "apiSchemas").map_or(&[][..], Value::items).iter().filter_map(Value::text)
    }
}
