//! Names without a trace: whatever a formula mentions is a variable of that name.

use std::cell::RefCell;

use causet_formula::{Names, ProcRef, VarRef, VariableName};

/// All names that were asked for.
#[derive(Default)]
pub(crate) struct FreeNames {
    variables: RefCell<Vec<String>>,
}

impl Names for FreeNames {
    /// One that stands for all, so that `initial` and `final` are something.
    fn process_count(&self) -> usize {
        1
    }

    fn process_name(&self, _: ProcRef) -> &str {
        "all"
    }

    fn process(&self, _: &str) -> Option<ProcRef> {
        None
    }

    fn shared(&self, name: &str) -> Option<VarRef> {
        let mut variables = self.variables.borrow_mut();
        let known = variables.iter().position(|variable| variable == name);
        let number = known.unwrap_or_else(|| {
            variables.push(name.to_owned());
            variables.len() - 1
        });
        u32::try_from(number).ok().map(VarRef)
    }

    fn local(&self, _: ProcRef, _: &str) -> Option<VarRef> {
        None
    }

    fn variable_names(&self) -> Vec<String> {
        self.variables.borrow().clone()
    }

    fn variable(&self, variable: VarRef) -> Option<VariableName> {
        let variables = self.variables.borrow();
        let name = variables.get(variable.0 as usize)?;
        Some(VariableName {
            process: None,
            name: name.clone(),
        })
    }
}
