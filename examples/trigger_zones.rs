//! Trigger zones: who walks into which room, and when. No key to press; it prints what happens.
//!
//! Zones and walkers are boxes on a map. A broad phase keeps them in a tree and tells which pairs of boxes have begun or
//! ceased to overlap since the last tick: exactly what a trigger needs. One zone is round; for it the boxes only say
//! that it is worth looking, and the exact test decides.

use std::collections::BTreeMap;

use sidle::{
    Aabb2,
    broad_phase::{BoxId, DynamicTree},
    flat::{Circle, circle_circle},
    nalgebra::{Point2, Vector2},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut boxes = DynamicTree::new();
    let mut names: BTreeMap<BoxId, &str> = BTreeMap::new();
    for (name, min, max) in [("hall", [0.0, 0.0], [8.0, 6.0]), ("vault", [8.0, 2.0], [12.0, 4.0])] {
        names.insert(boxes.add(Aabb2::checked(Point2::from(min), Point2::from(max))?)?, name);
    }
    let fountain = Circle::new(Point2::new(4.0, 3.0), 1.0)?;
    let fountain_box = boxes.add(fountain.bounds())?;
    names.insert(fountain_box, "fountain's box");

    // A thief walks straight from the street through the hall into the vault.
    let body = |x: f64| Circle::new(Point2::new(x, 3.4), 0.3);
    let thief = boxes.add(body(-2.0)?.bounds())?;
    names.insert(thief, "thief");
    let step = Vector2::new(0.25, 0.0);

    let mut is_wet = false;
    for tick in 0..52 {
        let here = body(-2.0 + step.x * f64::from(tick))?;
        boxes.move_to(thief, here.bounds())?;
        boxes.update();
        for (pairs, verb) in [(boxes.begun(), "enters"), (boxes.ended(), "leaves")] {
            for zone in pairs.iter().filter_map(|pair| pair.other(thief)) {
                println!("tick {tick:2}: the thief {verb} the {}", names[&zone]);
            }
        }
        let is_in_water = boxes.is_pair(thief, fountain_box) && circle_circle(&fountain, &here).is_some();
        if is_in_water != is_wet {
            println!("tick {tick:2}: the thief is {}", if is_in_water { "in the water" } else { "out of the water" });
            is_wet = is_in_water;
        }
    }
    println!("{} boxes, {} overlap now", boxes.len(), boxes.pairs().len());
    Ok(())
}
