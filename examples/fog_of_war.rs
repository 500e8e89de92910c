//! Field of view and fog of war: a scout walks through a level, and the map fills with what it has seen.
//!
//! It prints the map: `#` walls that have been seen, `.` ground that is in view now, `,` ground that was in view before, `@`
//! the scout, and nothing where it has never looked. A full circle of rays tells how far one sees in each direction; every
//! cell nearer than that is in view. The same fan narrowed to a cone is what a guard sees, and tells whether it sees the
//! scout.

use sidle::{
    Aabb2,
    nalgebra::{Point2, Rotation2, Vector2},
    sensor::{Obstacles, RayFan, Reading},
};

const WIDTH: usize = 48;
const HEIGHT: usize = 18;
/// Walls as `x, y, width, height` in cells of a metre.
const WALLS: [[f64; 4]; 9] = [
    [0.0, 0.0, 48.0, 1.0],
    [0.0, 17.0, 48.0, 1.0],
    [0.0, 0.0, 1.0, 18.0],
    [47.0, 0.0, 1.0, 18.0],
    [14.0, 1.0, 1.0, 6.0],
    [14.0, 10.0, 1.0, 7.0],
    [22.0, 6.0, 4.0, 4.0],
    [32.0, 4.0, 1.0, 13.0],
    [38.0, 8.0, 5.0, 1.0],
];

/// Number of rays: neighbours are less than half a cell apart at the end of the range.
const RAYS: usize = 360;
const RANGE: f64 = 20.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut level = Obstacles::new();
    for (tag, [x, y, width, height]) in (0..).zip(WALLS) {
        level.add_box(Aabb2::checked(Point2::new(x, y), Point2::new(x + width, y + height))?, tag)?;
    }
    let eyes = RayFan::around(RAYS, RANGE)?;
    let mut view = Reading::new();
    let mut seen = [[' '; WIDTH]; HEIGHT];

    for position in [[5.0, 4.0], [10.0, 8.5], [18.0, 8.5], [28.0, 2.5]] {
        let position = Point2::from(position);
        view.read(&eyes, position, &Rotation2::identity(), &level)?;
        seen.iter_mut().flatten().filter(|cell| **cell == '.').for_each(|cell| *cell = ',');
        for ray in 0..view.rays() {
            let direction = eyes.direction(ray).ok_or("a ray of the fan")?;
            let reach = view.reach(ray);
            for step in 0..(reach * 4.0) as usize {
                mark(&mut seen, position + direction * (step as f64 / 4.0), '.');
            }
            if let Some(wall) = view.ray(ray).first() {
                mark(&mut seen, wall.point + direction * 0.01, '#');
            }
        }
        mark(&mut seen, position, '@');
        println!("the scout at {:.1}, {:.1} sees {} walls", position.x, position.y, view.nearest_by_object().count());
        for row in seen.iter().rev() {
            println!("  {}", row.iter().collect::<String>());
        }
        mark(&mut seen, position, '.');
    }

    // A guard looks to the left through a cone of 60 degrees; the scout is one of the things that can be met.
    let scout = level.add_box(Aabb2::new(Point2::new(27.7, 2.2), Point2::new(28.3, 2.8)), 99)?;
    let cone = RayFan::spread(41, Vector2::new(-1.0, 0.0), 60_f64.to_radians(), 25.0)?;
    for guard in [Point2::new(31.0, 12.0), Point2::new(36.0, 3.0), Point2::new(36.0, 12.0)] {
        view.read(&cone, guard, &Rotation2::identity(), &level)?;
        let rays = view.rays_seeing(scout).count();
        let verdict = if rays > 0 { "sees the scout" } else { "does not see the scout" };
        println!("a guard at {}, {} {verdict} ({rays} of {} rays)", guard.x, guard.y, cone.len());
    }
    Ok(())
}

fn mark(map: &mut [[char; WIDTH]; HEIGHT], place: Point2<f64>, sign: char) {
    let (x, y) = (place.x as usize, place.y as usize);
    if let Some(cell) = map.get_mut(y).and_then(|row| row.get_mut(x))
        && (sign != '.' || *cell != '#')
    {
        *cell = sign;
    }
}
