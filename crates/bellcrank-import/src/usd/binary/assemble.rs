//! From specs to the tree of prims that the text would give.

use super::bytes::{Read, damaged};
use super::sections::{Kind, Sections, Spec};
use crate::error::ImportFaultKind;
use crate::options::Limits;
use crate::usd::layer::{Layer, Prim, Property, Value};
use std::cell::Cell;
use std::collections::HashMap;

/// The layer of a file.
pub(super) fn layer(sections: &Sections<'_>, limits: &Limits) -> Read<Layer> {
    let by_path: HashMap<&str, &Spec> = sections
        .specs
        .iter()
        .filter_map(|spec| Some((sections.paths.get(spec.path)?.as_str(), spec)))
        .collect();
    let root = by_path.get("/").ok_or_else(|| damaged("it has no root"))?;
    let mut reader = Reader { sections, by_path: &by_path, limits, prims: 0 };
    let fields = reader.fields(root)?;
    let prims = reader.children(&fields, "/", 1)?;
    let metadata =
        fields.into_iter().map(|(name, value)| (name.to_owned(), as_in_text(name, value))).collect();
    Ok(Layer { metadata, prims })
}

struct Reader<'s, 'a> {
    sections: &'s Sections<'a>,
    by_path: &'s HashMap<&'s str, &'s Spec>,
    limits: &'s Limits,
    prims: u32,
}

type Fields<'s> = Vec<(&'s str, Value)>;

impl<'s> Reader<'s, '_> {
    fn fields(&self, spec: &Spec) -> Read<Fields<'s>> {
        let values = self.sections.values();
        let mut all = Vec::new();
        for (name, described) in self.sections.fields(spec.fields) {
            all.extend(values.value(described)?.map(|value| (name, value)));
        }
        Ok(all)
    }

    fn children(&mut self, fields: &Fields<'_>, around: &str, depth: usize) -> Read<Vec<Prim>> {
        if depth > self.limits.depth {
            return Err(ImportFaultKind::TooDeep(self.limits.depth));
        }
        let mut children = Vec::new();
        for name in names(fields, "primChildren") {
            let path = match around {
                "/" => format!("/{name}"),
                around if around.ends_with('}') => format!("{around}{name}"),
                around => format!("{around}/{name}"),
            };
            let Some(spec) = self.by_path.get(path.as_str()).filter(|spec| spec.kind == Kind::Prim) else {
                continue;
            };
            let mut prim = self.prim(spec, &path, depth)?;
            prim.name = name;
            children.push(prim);
        }
        Ok(children)
    }

    /// A prim, or what a variant adds to one.
    fn prim(&mut self, spec: &Spec, path: &str, depth: usize) -> Read<Prim> {
        self.prims += 1;
        if self.prims > self.limits.elements {
            let (found, limit) = (u64::from(self.prims), u64::from(self.limits.elements));
            return Err(ImportFaultKind::TooLarge { what: "the number of prims".into(), found, limit });
        }
        let fields = self.fields(spec)?;
        let text =
            |name: &str| fields.iter().find(|(key, _)| *key == name).and_then(|(_, value)| value.text());
        let mut prim = Prim {
            kind: text("typeName").unwrap_or("").to_owned(),
            is_class: text("specifier") == Some("class"),
            is_over: text("specifier") == Some("over"),
            children: self.children(&fields, path, depth + 1)?,
            ..Prim::default()
        };
        for name in names(&fields, "properties") {
            let path = format!("{path}.{name}");
            if let Some(spec) = self.by_path.get(path.as_str()) {
                prim.properties.extend(self.property(spec, name)?);
            }
        }
        for set in names(&fields, "variantSetChildren") {
            self.variants(&mut prim, &set, path, depth)?;
        }
        prim.metadata = fields
            .into_iter()
            .filter_map(|(name, value)| Some((key(name)?, as_in_text(name, value))))
            .collect();
        Ok(prim)
    }

    fn variants(&mut self, prim: &mut Prim, set: &str, path: &str, depth: usize) -> Read<()> {
        let Some(spec) = self.by_path.get(format!("{path}{{{set}=}}").as_str()) else { return Ok(()) };
        for variant in names(&self.fields(spec)?, "variantChildren") {
            let path = format!("{path}{{{set}={variant}}}");
            let Some(spec) = self.by_path.get(path.as_str()).filter(|spec| spec.kind == Kind::Variant) else {
                continue;
            };
            let inside = self.prim(spec, &path, depth + 1)?;
            prim.variants.push((set.to_owned(), variant, inside));
        }
        Ok(())
    }

    fn property(&self, spec: &Spec, name: String) -> Read<Vec<Property>> {
        let fields = self.fields(spec)?;
        let property = |name: String, value| Property { name, value, line: 0, read: Cell::new(false) };
        let of = |field: &str| fields.iter().find(|(key, _)| *key == field).map(|(_, value)| value.clone());
        Ok(match spec.kind {
            Kind::Relationship => vec![property(name, of("targetPaths"))],
            Kind::Attribute => {
                let connected = of("connectionPaths").map(|to| property(format!("{name}.connect"), Some(to)));
                [property(name, of("default"))].into_iter().chain(connected).collect()
            }
            _ => Vec::new(),
        })
    }
}

/// The words of a list.
fn names(fields: &Fields<'_>, field: &str) -> Vec<String> {
    let list = fields.iter().find(|(name, _)| *name == field).map_or(&[][..], |(_, value)| value.items());
    list.iter().filter_map(|item| item.text().map(str::to_owned)).collect()
}

/// What the text calls a field of a prim; `None` for what it has no word for.
fn key(field: &str) -> Option<String> {
    Some(match field {
        "inheritPaths" => "inherits".to_owned(),
        "variantSelection" => "variants".to_owned(),
        "specifier" | "typeName" | "primChildren" | "properties" | "variantSetChildren" => return None,
        field => field.to_owned(),
    })
}

/// Names of sublayers are strings here and assets there.
fn as_in_text(field: &str, value: Value) -> Value {
    match (field, value) {
        ("subLayers", Value::List(items)) => {
            let asset = |item: Value| match item {
                Value::Text(file) => Value::Asset(file, String::new()),
                other => other,
            };
            Value::List(items.into_iter().map(asset).collect())
        }
        (_, value) => value,
    }
}
