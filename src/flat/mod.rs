//! Overlap tests of plain shapes, in the plane and where it has a meaning in space.
//!
//! They serve games on a map, trigger zones and sensors. Each test is one function with one definition; where two
//! shapes only *touch* the definitions differ, for reasons of their own, and this table is the place where they stand:
//!
//! | test | touching | what it tells | who moves along the normal |
//! | --- | --- | --- | --- |
//! | [`Aabb::overlaps`](crate::Aabb::overlaps), [`Aabb::penetration`](crate::Aabb::penetration) | overlaps, by a width of zero | the overlap's width on each axis | |
//! | [`intersection`] of two boxes | is none | the common box, its diagonal and side ratio | |
//! | [`circle_circle`], [`sphere_sphere`] | is none | normal and depth | the second |
//! | [`circle_rectangle`], [`sphere_box`], at a side | overlaps, by a depth of zero | normal and depth | the circle, the sphere |
//! | [`circle_rectangle`], [`sphere_box`], at a corner or an edge | is none | normal and depth | the circle, the sphere |
//! | [`polygon_polygon`] | is none | axis and depth of the least interval overlap | the second |
//! | [`minimum_translation`] | is none | the shortest move that parts them | the second |
//! | [`segment_segment`] | meets | the point or the common piece, and where on both | |
//! | [`segment_box`] | meets | from where to where the segment is inside | |
//! | [`Aabb::contains`](crate::Aabb::contains), [`Ball::contains`], [`Cuboid::contains`], [`ConvexPolygon::contains`] | the border is inside | | |
//! | [`Ray::cast_box`](crate::Ray::cast_box), [`ConvexPolygon::cast_ray`] | is a hit | entry, exit, normal of the entry | |
//!
//! All answers are computed in `f64` and rounded once. Shapes check their numbers when they are made; the tests cannot
//! fail.

mod ball;
mod boxes;
mod polygon;
mod segment;

pub use ball::{Ball, Circle, Region, Sphere, circle_circle, circle_rectangle, region, sphere_box, sphere_sphere};
pub use boxes::{Cuboid, Intersection, Rectangle, TurnedBox, intersection};
pub use polygon::{ConvexPolygon, PolygonError, minimum_translation, polygon_polygon};
pub use segment::{Crossing, Span, segment_box, segment_segment};
