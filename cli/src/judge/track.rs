//! [`Sample`]: a tick of a recorded track, and the table in which tracks are read.

use anyhow::{Context, Result, bail, ensure};
use nalgebra::{Point3, Vector3};

/// A body after a tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sample {
    /// In seconds.
    pub(crate) time: f64,
    /// Centre of the body.
    pub(crate) position: Point3<f64>,
    /// The velocity wished for in the tick that led here, in metres a second.
    pub(crate) wish: Vector3<f64>,
    /// Whether the controller says that it is on ground.
    pub(crate) is_on_ground: bool,
    /// The speed with which it took off in the tick that led here; 0 if it did not jump, or if that is not known.
    pub(crate) jump: f64,
}

/// The columns of a track, in words for the help.
pub(super) const COLUMNS: &str = "A track is a table with commas and a line of column names, in any order:
  time                    seconds, growing
  x, y, z                 centre of the body after the tick, in metres; `NaN` and `inf` are read, too
  wish_x, wish_y, wish_z  velocity wished for in the tick, in metres a second
  ground                  1 or true if the controller says that it is on ground, else 0 or false
  jump                    (may be left out) speed of a take-off in the tick, in metres a second, else 0
The first line is the state before the first tick: its wish is not looked at. Other columns are not read. After a line that is
20 m below the level, or not finite, the track begins anew.";

/// The ticks of a track may differ by this share of the first: times are written with few digits.
const UNEVEN: f64 = 0.01;

/// The length of all ticks of a track, in seconds.
///
/// # Errors
/// If they differ.
pub(super) fn tick_of(track: &[Sample]) -> Result<f64> {
    let (Some(first), Some(last)) = (track.first(), track.last()) else { bail!("the track is empty") };
    let mean = (last.time - first.time) / (track.len() - 1) as f64;
    let uneven = track.windows(2).position(|pair| (pair[1].time - pair[0].time - mean).abs() > UNEVEN * mean);
    if let Some(tick) = uneven {
        bail!("things that move need ticks of the same length: tick {} is not {mean} s long", tick + 1);
    }
    Ok(mean)
}

/// Reads a track.
///
/// # Errors
/// If a column is missing, a number is none, time does not grow, or there are less than two lines.
pub(super) fn read(text: &str) -> Result<Vec<Sample>> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (_, header) = lines.next().context("the track is empty")?;
    let names: Vec<&str> = header.split(',').map(str::trim).collect();
    let column = |name: &str| {
        let found = names.iter().position(|known| *known == name);
        found.with_context(|| format!("the track has no column `{name}`; see `sidle judge --help`"))
    };
    let [time, x, y, z] = ["time", "x", "y", "z"].map(column);
    let wish = ["wish_x", "wish_y", "wish_z"].map(column);
    let (time, position, wish) = (time?, [x?, y?, z?], each(wish)?);
    let (ground, jump) = (column("ground")?, names.iter().position(|name| *name == "jump"));

    let mut samples: Vec<Sample> = Vec::new();
    for (number, line) in lines {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let field = |i: usize| fields.get(i).copied().with_context(|| format!("line {number} has too few columns"));
        let value = |i: usize| -> Result<f64> {
            let text = field(i)?;
            text.parse().ok().with_context(|| format!("line {number}: `{text}` is no number"))
        };
        let is_on_ground = match field(ground)? {
            "1" | "true" => true,
            "0" | "false" => false,
            other => bail!("line {number}: `{other}` does not say whether it is on ground (1 or 0)"),
        };
        let sample = Sample {
            time: value(time)?,
            position: Point3::from(each(position.map(value))?),
            wish: Vector3::from(each(wish.map(value))?),
            is_on_ground,
            jump: jump.map_or(Ok(0.0), value)?,
        };
        let is_later = samples.last().is_none_or(|last| sample.time > last.time);
        ensure!(sample.time.is_finite() && is_later, "line {number}: time does not grow");
        samples.push(sample);
    }
    ensure!(samples.len() > 1, "the track has no tick: it needs a line for the start and one for each tick");
    Ok(samples)
}

fn each<T: Copy + Default, const N: usize>(results: [Result<T>; N]) -> Result<[T; N]> {
    let mut values = [T::default(); N];
    for (value, result) in values.iter_mut().zip(results) {
        *value = result?;
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use nalgebra::{point, vector};

    use super::*;

    #[test]
    fn columns_are_found_by_their_names() {
        let text = "ground,time,x,y,z,note,wish_x,wish_y,wish_z\n0,0,1,2,3,a,0,0,0\n1, 0.5, NaN,2,3,b,3,0,-1\n";
        let track = read(text).expect("a track");
        assert_eq!(track[0].position, point![1.0, 2.0, 3.0]);
        assert!(track[1].is_on_ground && track[1].position.x.is_nan());
        assert_eq!((track[1].wish, track[1].jump), (vector![3.0, 0.0, -1.0], 0.0));
    }

    #[test]
    fn what_is_wrong_with_a_track_is_said() {
        let header = "time,x,y,z,wish_x,wish_y,wish_z,ground\n";
        let error = |text: &str| read(text).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error("time,x,y,z,ground\n").contains("wish_x"));
        assert!(error(&format!("{header}0,0,0,0,0,0,0,maybe\n")).contains("maybe"));
        assert!(error(&format!("{header}0,0,0,0,0,0,0,1\n0,0,0,0,0,0,0,1\n")).contains("line 3"));
        assert!(error(&format!("{header}0,0,0,0,0,0,0,1\n")).contains("no tick"));
        assert!(error("").contains("empty"));
    }
}
