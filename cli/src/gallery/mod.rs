//! `sidle gallery`: what each test means, as pictures.

mod figure;
mod flat;
mod pairs;
mod sensors;
mod sphere;

use std::{fmt::Write, fs, path::PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use crate::picture::text::Lettering;

/// Draws what overlap tests, broad phase, sensors and swept spheres mean.
///
/// The folder gets a PNG for each subject, and `numbers.txt` with the numbers behind them.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  sidle gallery --out gallery")]
pub(crate) struct Gallery {
    /// The folder, made where it is missing
    #[arg(long)]
    out: PathBuf,
}

/// The name of a file, and the PNG in it.
type Picture = (&'static str, Vec<u8>);

/// Draws a picture, and adds its lines to the numbers.
type Draw = fn(&Lettering, &mut String) -> Result<Vec<u8>>;

/// The pictures in the order in which a reader needs them.
const PICTURES: [(&str, Draw); 9] = [
    ("squares.png", flat::squares),
    ("rays.png", flat::rays),
    ("circle_rectangle.png", flat::circle_rectangle),
    ("pairs.png", pairs::checks),
    ("fan.png", sensors::fan),
    ("fog.png", sensors::fog),
    ("sphere_plane.png", sphere::plane),
    ("sphere_features.png", sphere::features),
    ("sphere_nearest.png", sphere::nearest),
];

impl Gallery {
    pub(crate) fn run(&self) -> Result<()> {
        let folder = &self.out;
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let (pictures, numbers) = draw_all()?;
        for (name, png) in &pictures {
            let path = folder.join(name);
            fs::write(&path, png).with_context(|| format!("cannot write {}", path.display()))?;
        }
        let path = folder.join("numbers.txt");
        fs::write(&path, &numbers).with_context(|| format!("cannot write {}", path.display()))?;
        print!("{numbers}");
        println!("{} pictures in {}", pictures.len(), folder.display());
        Ok(())
    }
}

/// All pictures with their names, and the numbers.
fn draw_all() -> Result<(Vec<Picture>, String)> {
    let lettering = Lettering::new()?;
    let (mut pictures, mut numbers) = (Vec::new(), String::new());
    for (name, draw) in PICTURES {
        let png = draw(&lettering, &mut numbers).with_context(|| format!("cannot draw {name}"))?;
        pictures.push((name, png));
    }
    Ok((pictures, numbers))
}

/// Adds a line `name=value`.
fn note(numbers: &mut String, name: &str, value: impl std::fmt::Display) {
    writeln!(numbers, "{name}={value}").expect("a string takes every line");
}

#[cfg(test)]
mod tests;
