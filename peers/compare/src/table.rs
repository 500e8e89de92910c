//! [`Table`]: all figures, as Markdown.

use std::fmt;

use crate::level::Level;

/// The columns of figures. All but the first also show how many times as much that is as the first.
const NAMES: [&str; 4] = ["sidle", "parry3d", "rapier3d", "bvh"];

/// One figure of each library.
pub(crate) struct Row {
    level: String,
    what: &'static str,
    unit: &'static str,
    figures: [Option<f64>; NAMES.len()],
    found: String,
}

/// All rows.
#[derive(Default)]
pub(crate) struct Table(Vec<Row>);

impl Row {
    /// A row of figures by the names of libraries.
    pub(crate) fn new<'a>(
        level: &Level,
        what: &'static str,
        unit: &'static str,
        found: String,
        named: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Self {
        let mut figures = [None; NAMES.len()];
        for (name, figure) in named {
            if let Some(column) = NAMES.iter().position(|column| *column == name) {
                figures[column] = Some(figure);
            }
        }
        Self { level: level.name.clone(), what, unit, figures, found }
    }
}

impl Table {
    pub(crate) fn push(&mut self, row: Row) {
        self.0.push(row);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| mesh | set | unit | {} | found |", NAMES.join(" | "))?;
        writeln!(f, "|---|---|---|{}---|", "--:|".repeat(NAMES.len()))?;
        for Row { level, what, unit, figures, found } in &self.0 {
            write!(f, "| {level} | {what} | {unit} |")?;
            for (column, figure) in figures.iter().enumerate() {
                match (figure, figures[0]) {
                    (None, _) => write!(f, " – |")?,
                    (Some(figure), Some(ours)) if column > 0 => {
                        write!(f, " {} ({:.2}×) |", rounded(*figure), figure / ours)?;
                    }
                    (Some(figure), _) => write!(f, " {} |", rounded(*figure))?,
                }
            }
            writeln!(f, " {found} |")?;
        }
        Ok(())
    }
}

/// A number with about three digits.
fn rounded(x: f64) -> String {
    if x < 100.0 { format!("{x:.1}") } else { format!("{x:.0}") }
}
