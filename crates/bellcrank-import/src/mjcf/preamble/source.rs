//! A model file and what it says about the reading of itself: options, classes, assets, attached models.

use super::assets::Assets;
use super::compiler::Compiler;
use super::defaults::Classes;
use super::include::Includer;
use crate::mjcf::bodies::census::Census;
use crate::mjcf::vocabulary::notes::Notes;
use crate::mjcf::vocabulary::schema;
use crate::xml::{Document, Element};
use crate::{File, Files, ImportError, ImportFaultKind, Options};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Models within models may be nested this deep.
const MODELS_DEEP: usize = 8;

/// One model file: the main one, or one that is attached.
#[derive(Debug)]
pub(in crate::mjcf) struct Source {
    pub compiler: Compiler,
    pub classes: Classes,
    pub assets: Assets,
    /// Attached models by name.
    pub models: BTreeMap<String, Rc<Source>>,
    /// The tree of an attached model; the main one's belongs to the caller.
    pub root: Option<Element>,
}

/// A source as it is used in one place: with a prefix on all its names.
#[derive(Clone, Debug)]
pub(in crate::mjcf) struct Scope {
    pub source: Rc<Source>,
    pub prefix: String,
    /// What copies of `<replicate>` append to names.
    pub suffix: String,
    /// Only part of the model is here: what refers to the rest is left out.
    pub partial: bool,
    /// Where the coordinates of an attached model are; `None` for the main one.
    pub keys: Option<Rc<AttachedKeys>>,
}

/// How keyframes of an attached model become keyframes of the whole.
#[derive(Clone, Debug)]
pub(in crate::mjcf) struct AttachedKeys {
    /// All joints of the model, and which of them are here.
    pub census: Census,
    /// Number of the first of these among all joints of the whole model.
    pub first_joint: usize,
    /// Another copy of the same model has the keyframes already.
    pub again: bool,
}

impl Scope {
    /// A name of the file as it is called in the whole model.
    pub fn name(&self, name: &str) -> String {
        format!("{}{name}{}", self.prefix, self.suffix)
    }

    /// A name in the tree of bodies, where the endings of copies grow on the way down.
    pub fn name_in_tree(&self, name: &str, suffix: &str) -> String {
        format!("{}{name}{suffix}", self.prefix)
    }
}

/// What reading needs everywhere.
#[derive(Clone, Copy)]
pub(in crate::mjcf) struct Context<'a> {
    pub files: &'a Files,
    pub options: &'a Options,
    pub notes: &'a Notes,
}

impl Source {
    /// Reads the parts of a file that say how to read the others. `file` is `None` for the main model.
    pub fn read(
        root: &mut Element,
        file: Option<File>,
        context: Context<'_>,
        around: &mut Vec<String>,
    ) -> Result<Source, ImportError> {
        Includer::new(context.files, context.notes.log(), file.as_ref()).expand(root)?;
        let notes = context.notes;
        let compiler = Compiler::read(root, notes);
        let classes = Classes::read(root, notes);
        let mut source =
            Source { compiler, classes, assets: Assets::default(), models: BTreeMap::new(), root: None };
        for section in root.children_named("asset") {
            source.assets.read(section, &source.classes, notes);
            for element in section.children_named("model") {
                source.model(element, file.as_ref(), context, around)?;
            }
        }
        source.assets.file = file;
        Ok(source)
    }

    fn model(
        &mut self,
        element: &Element,
        by: Option<&File>,
        context: Context<'_>,
        around: &mut Vec<String>,
    ) -> Result<(), ImportError> {
        let Some(name) = element.required("file") else { return Ok(()) };
        let file = match context.files.text(name, by) {
            Ok(file) => file,
            Err(kind) => {
                element.fault(kind);
                return Ok(());
            }
        };
        if around.len() >= MODELS_DEEP || around.contains(&file.name) || *element.file == *file.name {
            let what = format!("the model {name:?} contains itself");
            let kind = ImportFaultKind::other(what, "remove one <model> of the circle");
            return Err(ImportError::one(element.place(), kind));
        }
        let mut document = Document::parse(&file, context.files.limits(), context.notes.log())?;
        around.push(file.name.clone());
        let by = File { bytes: Vec::new(), ..file };
        let mut source = Source::read(&mut document.root, Some(by), context, around)?;
        around.pop();
        let said = element.attribute("name").or(document.root.attribute("model")).unwrap_or(name).to_owned();
        document.root.see();
        source.root = Some(document.root);
        self.models.insert(said, Rc::new(source));
        Ok(())
    }

    /// Lists what nobody read in attached models.
    pub fn report_unread(&self, notes: &Notes) {
        for source in self.models.values() {
            let is_used = |root: &&Element| root.children.iter().any(|e| e.tag == "worldbody" && e.is_seen());
            if let Some(root) = source.root.as_ref().filter(|root| !is_used(root)) {
                root.ignore("the model is attached nowhere");
            }
            source.root.iter().for_each(|root| schema::report_unread(root, notes));
            source.report_unread(notes);
        }
    }
}
