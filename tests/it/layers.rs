//! Imports go only upward in the list of modules: reads the `use` lines and paths of `src`.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The modules in reading order. Those of one row do not know each other.
const LAYERS: [&[&str]; 9] = [
    &["input_error"],
    &["real"],
    &["wide", "slots"],
    &["shape"],
    &["mesh", "flat", "broad_phase"],
    &["sweep"],
    &["octree"],
    &["world"],
    &["character", "sensor"],
];

/// Modules above all others.
const TOP: [&str; 1] = ["walk"];

/// Pairs that look down for a reason: errors and the scalar know each other, and docs may name what is above.
const ALLOWED: [(&str, &str); 1] = [("input_error", "real")];

fn layer(module: &str) -> Option<usize> {
    if TOP.contains(&module) {
        return Some(LAYERS.len());
    }
    LAYERS.iter().position(|row| row.contains(&module))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("src is readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The modules that a line of code names after `crate::`, those in braces included.
fn named(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut word = String::new();
            for c in list.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => names.push(std::mem::take(&mut word)),
                    c if depth == 0 => word.push(c),
                    _ => {}
                }
            }
            names.push(word);
        } else {
            names.push(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    let first = |name: &String| name.trim().split("::").next().unwrap_or_default().to_string();
    names.iter().map(first).filter(|name| !name.is_empty()).collect()
}

/// Where the types that the crate root re-exports live.
fn home(name: &str) -> &str {
    match name {
        "InputError" | "MAX_COORDINATE" => "input_error",
        "Real" => "real",
        "Feature" | "Ellipsoid" | "Triangle" | "Aabb3" => "shape",
        "MaterialTag" | "TriMesh" => "mesh",
        "Octree" => "octree",
        "World" => "world",
        other => other,
    }
}

#[test]
fn no_module_looks_down() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let (mut faults, mut imports) = (Vec::new(), 0);
    for file in files {
        let inside = file.strip_prefix(&src).expect("below src");
        let first = inside.components().next().expect("a name").as_os_str().to_string_lossy();
        let module = first.trim_end_matches(".rs").to_string();
        let Some(own) = layer(&module) else { continue };
        let code: String = fs::read_to_string(&file)
            .expect("readable")
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect::<Vec<_>>()
            .join("\n");
        for name in named(&code) {
            let target = home(&name);
            if target == module || ALLOWED.contains(&(module.as_str(), target)) {
                continue;
            }
            imports += 1;
            match layer(target) {
                Some(other) if other < own => {}
                Some(_) => faults.push(format!("{} uses {target}", inside.display())),
                None => faults.push(format!("{} uses {name}, which this test does not know", inside.display())),
            }
        }
    }
    assert!(imports > 50, "only {imports} imports were found");
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn the_reader_of_imports_sees_lists_and_paths() {
    let code = "use crate::{\n    mesh::{A, B},\n    real::Real,\n};\nlet x = crate::octree::f();";
    assert_eq!(named(code), ["mesh", "real", "octree"]);
}
