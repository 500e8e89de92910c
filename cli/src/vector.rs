//! Vectors on the command line: `x,y,z`.

use nalgebra::{Point3, Vector3};

/// Reads `x,y,z`.
pub(crate) fn parse_vector(text: &str) -> Result<Vector3<f64>, String> {
    numbers::<3>(text).map(Vector3::from)
}

/// Reads `x,y,z`.
pub(crate) fn parse_point(text: &str) -> Result<Point3<f64>, String> {
    numbers::<3>(text).map(Point3::from)
}

/// Reads `x,y,z,w`, a quaternion.
pub(crate) fn parse_quaternion(text: &str) -> Result<[f64; 4], String> {
    numbers::<4>(text)
}

fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let parsed: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    let parsed = parsed.map_err(|_| format!("`{text}` is not {N} numbers with commas between them"))?;
    parsed
        .try_into()
        .map_err(|other: Vec<f64>| format!("expected {N} numbers with commas between them, found {}", other.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_three_numbers_are_a_vector() {
        assert_eq!(parse_vector("1, -2.5,3e1"), Ok(Vector3::new(1.0, -2.5, 30.0)));
        assert!(parse_vector("1,2").is_err_and(|error| error.contains("found 2")));
        assert!(parse_vector("1,2,x").is_err_and(|error| error.contains("1,2,x")));
    }
}
