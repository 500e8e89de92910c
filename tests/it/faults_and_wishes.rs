//! The table of faults and wishes in the documentation names tests; each of them exists.

use std::{fs, path::Path};

/// The table, as the documentation includes it.
const TABLE: &str = include_str!("../../src/character/faults_and_wishes.md");

/// The sections, and how many numbered rows each has.
const SECTIONS: [(&str, usize); 4] = [("## Faults", 15), ("## Wishes", 15), ("## Beyond", 13), ("## A living", 16)];

/// What stands in the last column where there is no test.
const NOT_YET: &str = "not yet";

/// The tests that a text names, each as `file::function` between backticks.
fn named(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split('`').skip(1).step_by(2).filter_map(|code| code.split_once(".rs::"))
}

/// Whether a file of the project has a test with a name.
fn exists(file: &str, name: &str) -> bool {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{file}.rs"));
    let code = fs::read_to_string(path).unwrap_or_default();
    let lines: Vec<&str> = code.lines().map(str::trim).collect();
    let starts = [format!("fn {name}("), format!("fn {name}<")];
    (1..lines.len()).any(|i| {
        let above = lines[..i].iter().rev().take_while(|line| line.starts_with('#') || line.starts_with("//"));
        // The functions of proptest are tests as well.
        starts.iter().any(|start| lines[i].starts_with(start)) && above.into_iter().any(|line| *line == "#[test]")
    })
}

/// What is wrong with a table: rows that are missing, out of order or without an answer, and tests that do not exist.
fn faults(table: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (title, count) in SECTIONS {
        let section = table.split("\n## ").find(|section| format!("## {section}").starts_with(title));
        let rows: Vec<&str> =
            section.unwrap_or_default().lines().filter(|line| line.starts_with("| ")).skip(2).collect();
        if rows.len() != count {
            found.push(format!("{title}: {} rows, not {count}", rows.len()));
        }
        for (i, row) in rows.iter().enumerate() {
            let columns: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            let [number, .., last] = columns[..] else { continue };
            if columns.len() != 4 || number != (i + 1).to_string() {
                found.push(format!("{title}: row {} is {row}", i + 1));
            }
            if named(last).count() == 0 && !last.starts_with(NOT_YET) {
                found.push(format!("{title}: row {number} names no test and does not say \"{NOT_YET}\""));
            }
        }
    }
    found.extend(
        named(table).filter(|(file, name)| !exists(file, name)).map(|(file, name)| format!("{file}.rs::{name}")),
    );
    found
}

#[test]
fn each_fault_and_each_wish_has_an_answer_and_its_tests_exist() {
    assert_eq!(faults(TABLE), Vec::<String>::new());
    assert!(named(TABLE).count() > 60, "it names {} tests", named(TABLE).count());
}

#[test]
fn what_is_missing_from_the_table_is_seen() {
    let (file, name) = named(TABLE).next().expect("a test");
    let test = format!("{file}.rs::{name}");
    let changed = |from: &str, to: &str| faults(&TABLE.replacen(from, to, 1));
    assert_eq!(changed(&test, &format!("{test}_at_all")), [format!("{test}_at_all")], "a test of another name");
    assert_eq!(changed(&test, &format!("{file}s.rs::{name}")), [format!("{file}s.rs::{name}")], "another file");
    assert!(!exists("tests/it/faults_and_wishes", "faults"), "a function that is no test");
    assert_eq!(changed("\n| 15 |", "\n15 |").len(), 1, "a row that is missing");
    assert_eq!(changed("\n| 3 |", "\n| 4 |").len(), 1, "a row with another number");
    assert_eq!(changed(&format!("| `{test}` |"), "| some day |").len(), 1, "a row without an answer");
}
