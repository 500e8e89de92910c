//! A small level with everything in it, and what must be on its picture.

use nalgebra::{Rotation3, point, vector};
use tiny_skia::Pixmap;

use super::{palette::Rgb, *};

struct Level {
    triangles: Vec<[Point3<f64>; 3]>,
    track: Vec<TrackPoint>,
    contacts: Vec<Point3<f64>>,
}

impl Level {
    fn scene(&self) -> Scene<'_> {
        let Self { triangles, track, contacts } = self;
        Scene { triangles, up: Vector3::y(), track, contacts, title: "Courtyard" }
    }

    fn quad(&mut self, a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]) {
        let [a, b, c, d] = [a, b, c, d].map(Point3::from);
        self.triangles.extend([[a, b, c], [a, c, d]]);
    }

    fn cuboid(&mut self, [x0, y0, z0]: [f64; 3], [x1, y1, z1]: [f64; 3]) {
        self.quad([x0, y1, z0], [x0, y1, z1], [x1, y1, z1], [x1, y1, z0]);
        self.quad([x0, y0, z0], [x1, y0, z0], [x1, y0, z1], [x0, y0, z1]);
        self.quad([x0, y0, z1], [x1, y0, z1], [x1, y1, z1], [x0, y1, z1]);
        self.quad([x1, y0, z0], [x0, y0, z0], [x0, y1, z0], [x1, y1, z0]);
        self.quad([x1, y0, z1], [x1, y0, z0], [x1, y1, z0], [x1, y1, z1]);
        self.quad([x0, y0, z0], [x0, y0, z1], [x0, y1, z1], [x0, y1, z0]);
    }

    fn walk(&mut self, to: [f64; 3], ground: Ground) {
        let to = Point3::from(to);
        let from = self.track.last().map_or(to, |point| point.feet);
        let count = ((to - from).norm() / 0.1).ceil().max(1.0);
        let feet = |i: usize| from + (to - from) * (i as f64 / count);
        self.track.extend((1..=count as usize).map(|i| TrackPoint { feet: feet(i), ground }));
    }
}

/// A floor with walls, five stairs onto a platform, a ramp, a steep slope, a column and a roof over a passage.
fn courtyard() -> Level {
    let mut level = Level { triangles: Vec::new(), track: Vec::new(), contacts: Vec::new() };
    level.quad([-10.0, 0.0, -8.0], [-10.0, 0.0, 8.0], [10.0, 0.0, 8.0], [10.0, 0.0, -8.0]);
    level.cuboid([-10.0, 0.0, -8.3], [10.0, 2.5, -8.0]);
    level.cuboid([-10.3, 0.0, -8.3], [-10.0, 2.5, 8.0]);
    for i in 0..5 {
        let x = 1.0 + 0.6 * f64::from(i);
        level.cuboid([x, 0.0, -7.0], [x + 0.6, 0.3 * f64::from(i + 1), -3.0]);
    }
    level.cuboid([4.0, 0.0, -7.0], [8.0, 1.5, -3.0]);
    level.quad([4.0, 1.5, -3.0], [4.0, 0.0, 1.0], [6.0, 0.0, 1.0], [6.0, 1.5, -3.0]);
    level.quad([-9.0, 3.0, -8.0], [-9.0, 0.0, -6.0], [-5.0, 0.0, -6.0], [-5.0, 3.0, -8.0]);
    level.cuboid([-2.0, 0.0, -1.0], [-1.0, 2.0, 0.0]);
    level.cuboid([-7.0, 2.2, 2.0], [-2.0, 2.4, 6.0]);
    level.cuboid([-7.0, 0.0, 2.0], [-6.7, 2.2, 6.0]);
    level.walk([-9.0, 0.0, 4.0], Ground::OnGround);
    level.walk([-7.6, 0.0, 1.0], Ground::OnGround);
    level.walk([-4.0, 0.0, 4.0], Ground::OnGround);
    level.walk([-1.5, 0.0, 0.6], Ground::OnGround);
    level.contacts.extend([point![-1.6, 0.4, 0.0], point![-1.2, 0.4, 0.0], point![-1.0, 0.4, -0.2]]);
    level.walk([-0.5, 0.0, 0.4], Ground::Touching);
    level.walk([-7.0, 0.0, -5.5], Ground::OnGround);
    level.walk([-7.0, 0.9, -6.6], Ground::OnSteepGround);
    level.walk([-6.0, 0.0, -5.5], Ground::OnSteepGround);
    level.walk([0.5, 0.0, -5.0], Ground::OnGround);
    for i in 0..5 {
        let x = 1.0 + 0.6 * f64::from(i);
        level.walk([x, 0.3 * f64::from(i + 1), -5.0], Ground::OnGround);
        level.walk([x + 0.6, 0.3 * f64::from(i + 1), -5.0], Ground::OnGround);
    }
    level.walk([8.0, 1.5, -5.0], Ground::OnGround);
    level.walk([8.6, 1.1, -5.0], Ground::InAir);
    level.walk([9.0, 0.0, -5.0], Ground::InAir);
    level.walk([8.5, 0.0, 3.0], Ground::OnGround);
    level
}

/// The pixels of a part of the picture, as (left, top, width, height).
const MAP: [u32; 4] = [MARGIN, TITLE_HEIGHT, LEFT_WIDTH, PANELS_HEIGHT];
const OBLIQUE: [u32; 4] = [LEFT_WIDTH + 2 * MARGIN, TITLE_HEIGHT, RIGHT_WIDTH, OBLIQUE_HEIGHT];
const SECTION: [u32; 4] =
    [LEFT_WIDTH + 2 * MARGIN, TITLE_HEIGHT + OBLIQUE_HEIGHT + MARGIN, RIGHT_WIDTH, SECTION_HEIGHT];
const LEGEND: [u32; 4] = [0, HEIGHT - LEGEND_HEIGHT, WIDTH, LEGEND_HEIGHT];
const TITLE: [u32; 4] = [0, 0, WIDTH, TITLE_HEIGHT];

fn picture(scene: &Scene<'_>) -> Pixmap {
    Pixmap::decode_png(&draw(scene).expect("the scene is finite")).expect("it is a PNG")
}

fn colors(picture: &Pixmap, [left, top, width, height]: [u32; 4]) -> impl Iterator<Item = Rgb> {
    let places = (top..top + height).flat_map(move |y| (left..left + width).map(move |x| (x, y)));
    places
        .map(|(x, y)| picture.pixel(x, y).expect("the part is inside"))
        .map(|pixel| Rgb(pixel.red(), pixel.green(), pixel.blue()))
}

fn count(picture: &Pixmap, part: [u32; 4], color: Rgb) -> usize {
    colors(picture, part).filter(|rgb| *rgb == color).count()
}

/// How many pixels of two pictures are clearly not the same.
fn differences(one: &Pixmap, other: &Pixmap, part: [u32; 4]) -> usize {
    let differ = |(a, b): &(Rgb, Rgb)| (a.vector() - b.vector()).amax() > 0.1;
    colors(one, part).zip(colors(other, part)).filter(differ).count()
}

/// A floor of 20 by 20 metres with a walk across it.
fn field() -> Level {
    let mut level = Level { triangles: Vec::new(), track: Vec::new(), contacts: Vec::new() };
    level.quad([-10.0, 0.0, -10.0], [-10.0, 0.0, 10.0], [10.0, 0.0, 10.0], [10.0, 0.0, -10.0]);
    level.walk([-6.0, 0.0, 0.0], Ground::OnGround);
    level.walk([6.0, 0.0, 0.0], Ground::OnGround);
    level
}

#[test]
fn every_view_and_the_legend_show_every_state_of_the_ground() {
    let picture = picture(&courtyard().scene());
    assert_eq!((picture.width(), picture.height()), (WIDTH, HEIGHT));
    for (ground, words) in palette::GROUNDS {
        for part in [MAP, OBLIQUE, SECTION, LEGEND] {
            let found = count(&picture, part, palette::ground(ground));
            assert!(found >= 20, "{words}: {found} pixels in {part:?}");
        }
    }
    for part in [MAP, OBLIQUE, SECTION, LEGEND] {
        assert!(count(&picture, part, palette::START) > 50, "no start in {part:?}");
        assert!(count(&picture, part, palette::END) > 50, "no end in {part:?}");
    }
    for (class, words) in palette::SLOPES {
        assert!(count(&picture, LEGEND, class.rgb()) > 100, "{words} is not in the legend");
    }
    assert!(count(&picture, TITLE, INK) > 50);
}

#[test]
fn the_same_scene_gives_the_same_bytes() {
    let level = field();
    let png = || draw(&level.scene()).expect("the scene is finite");
    assert_eq!(png(), png());
}

#[test]
fn a_track_is_drawn_in_the_colour_of_its_state_only() {
    let level = field();
    let blue = palette::ground(Ground::OnGround);
    let without = picture(&Scene { track: &[], ..level.scene() });
    assert_eq!(count(&without, MAP, blue), 0);
    // 12 of the 20 m that fill the map, two whole pixels wide at the least.
    let with = picture(&level.scene());
    assert!(count(&with, MAP, blue) > 900);
    assert_eq!(count(&with, MAP, palette::ground(Ground::InAir)), 0);
}

#[test]
fn a_low_roof_hides_the_track_and_a_high_one_is_taken_off() {
    let blue = palette::ground(Ground::OnGround);
    let under_roof = |height: f64| {
        let mut level = field();
        level.cuboid([-3.0, height, -3.0], [3.0, height + 0.2, 3.0]);
        count(&picture(&level.scene()), MAP, blue)
    };
    let open = count(&picture(&field().scene()), MAP, blue);
    assert!(under_roof(2.0) < open * 3 / 4);
    assert!(under_roof(4.0) > open * 9 / 10);
}

#[test]
fn only_the_surroundings_of_the_track_are_shown() {
    let mut level = field();
    level.track.clear();
    level.walk([-1.0, 0.0, 0.0], Ground::OnGround);
    level.walk([1.0, 0.0, 0.0], Ground::OnGround);
    let near = picture(&level.scene());
    level.quad([-900.0, -1.0, -900.0], [-900.0, -1.0, 900.0], [900.0, -1.0, 900.0], [900.0, -1.0, -900.0]);
    let in_large_level = picture(&level.scene());
    let blue = palette::ground(Ground::OnGround);
    let (near, in_large_level) = (count(&near, MAP, blue), count(&in_large_level, MAP, blue));
    assert!(near.abs_diff(in_large_level) * 10 < near, "{near} and {in_large_level} pixels of track");
}

#[test]
fn a_level_far_from_the_origin_looks_the_same() {
    let near = courtyard();
    let mut far = courtyard();
    let offset = vector![3.0e6, -2.0e6, 5.0e6];
    far.triangles.iter_mut().flatten().for_each(|corner| *corner += offset);
    far.track.iter_mut().for_each(|point| point.feet += offset);
    far.contacts.iter_mut().for_each(|contact| *contact += offset);
    let (near, far) = (picture(&near.scene()), picture(&far.scene()));
    assert!(differences(&near, &far, MAP) < 200);
    assert!(differences(&near, &far, OBLIQUE) < 200);
}

#[test]
fn the_picture_turns_with_up() {
    let level = courtyard();
    let mut turned = courtyard();
    // y up to z up; x stays, so the map must, too, but for the names of the axes in its corner.
    let turn = Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    turned.triangles.iter_mut().flatten().for_each(|corner| *corner = turn * *corner);
    turned.track.iter_mut().for_each(|point| point.feet = turn * point.feet);
    turned.contacts.iter_mut().for_each(|contact| *contact = turn * *contact);
    let turned = picture(&Scene { up: Vector3::z() * 3.0, ..turned.scene() });
    assert!(differences(&picture(&level.scene()), &turned, MAP) < 2000);
}

#[test]
fn odd_scenes_are_drawn() {
    let triangle = [[point![0.0, 0.0, 0.0], point![0.0, 0.0, 1.0], point![1.0, 0.0, 0.0]]];
    let flat = [[point![0.0, 0.0, 0.0], point![1.0, 0.0, 0.0], point![2.0, 0.0, 0.0]]];
    let huge = triangle.map(|corners| corners.map(|corner| corner * 1e15));
    let here = [TrackPoint { feet: point![0.2, 0.0, 0.2], ground: Ground::InAir }];
    let jump = [here[0], TrackPoint { feet: point![1e15, -1e15, 0.0], ground: Ground::InAir }];
    let scenes = [
        (&triangle[..], &[][..], Vector3::y()),
        (&triangle, &here, -Vector3::x()),
        (&flat, &[], Vector3::y()),
        (&huge, &here, vector![1.0, 2.0, -3.0]),
        (&huge, &jump, Vector3::y()),
        (&[], &jump, Vector3::z()),
        (&[], &[], Vector3::y()),
    ];
    for (triangles, track, up) in scenes {
        let scene = Scene { triangles, up, track, contacts: &[], title: "Odd \u{2603}" };
        assert!(draw(&scene).is_ok(), "{scene:?}");
    }
}

#[test]
fn numbers_that_are_none_are_an_error() {
    let level = field();
    assert!(draw(&Scene { up: Vector3::zeros(), ..level.scene() }).is_err());
    assert!(draw(&Scene { contacts: &[point![0.0, f64::NAN, 0.0]], ..level.scene() }).is_err());
}
