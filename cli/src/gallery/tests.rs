//! The gallery against stored pictures and numbers.
//!
//! `SIDLE_BLESS=1` writes the pictures of today into `assets/gallery`; look at each before you keep it.

use std::{env, fs, path::PathBuf};

use tiny_skia::Pixmap;

use super::*;

fn stored() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../assets/gallery")
}

#[test]
fn the_gallery_looks_as_it_did() {
    /// So many of a thousand pixels may differ, each by more than this in a channel: rounding at the borders of shapes.
    const PIXELS: usize = 2;
    const CHANNEL: u8 = 24;
    let (pictures, numbers) = draw_all().expect("the gallery can be drawn");
    let folder = stored();
    if env::var_os("SIDLE_BLESS").is_some() {
        fs::create_dir_all(&folder).expect("a folder");
        pictures.iter().for_each(|(name, png)| fs::write(folder.join(name), png).expect("writable"));
        fs::write(folder.join("numbers.txt"), &numbers).expect("writable");
    }
    for (name, png) in &pictures {
        let now = Pixmap::decode_png(png).expect("a PNG");
        let before = Pixmap::load_png(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((now.width(), now.height()), (before.width(), before.height()), "{name}");
        let differ = |(a, b): &(&[u8], &[u8])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > CHANNEL);
        let count = now.data().chunks(4).zip(before.data().chunks(4)).filter(differ).count();
        assert!(count * 1000 <= now.data().len() / 4 * PIXELS, "{name}: {count} pixels differ");
    }
    let before = fs::read_to_string(folder.join("numbers.txt")).expect("the stored numbers");
    assert_eq!(numbers, before);
}

#[test]
fn the_numbers_are_those_that_are_known() {
    let (_, numbers) = draw_all().expect("the gallery can be drawn");
    let value = |name: &str| {
        let line = numbers.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.unwrap_or_else(|| panic!("{name} is missing in\n{numbers}")).to_owned()
    };
    assert_eq!(value("checks_brute"), "19900");
    assert_eq!(value("pairs_brute"), value("pairs_sweep"));
    assert!(value("checks_sweep").parse::<u64>().expect("a number") < 19_900 / 10);
    let rays = ["r1", "r2", "r3", "r4", "r5"].map(value);
    assert_eq!(rays, ["hit,2.000000", "miss", "hit,0.000000", "hit,2.828427", "miss"]);
    assert_eq!((value("squares_axis"), value("squares_depth")), ("1.000000,0.000000".into(), "0.500000".into()));
}
