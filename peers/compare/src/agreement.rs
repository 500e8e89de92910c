//! [`Agreement`]: whether two libraries found the same.

use crate::sets::{Body, Set};

/// How far what two libraries found is apart.
pub(crate) struct Agreement {
    queries: usize,
    /// Queries of which the answers contradict each other.
    contradictions: usize,
    /// Mean difference of the way to the contact, in metres, where two answers of the same body do not contradict.
    mean_difference: f64,
}

/// Libraries agree when no more answers than this share contradict each other: motions that graze or end at a surface.
///
/// parry3d stops up to 0.7 mm before a surface, on motions of 200 m up to 5 mm, and so also at surfaces that the body
/// passes. Two dozen answers on the built-in levels that differ by more than 5 mm, or in whether anything is hit, were
/// held against closest points in `f64`: in all of them nothing is touched before sidle's contact.
const MOST_CONTRADICTIONS: f64 = 0.005;
/// Contacts that are farther apart than this, in metres, are with different things.
const APART: f64 = 1e-2;
/// Libraries agree when their other contacts are no farther apart than this on average, in metres.
const MOST_DIFFERENCE: f64 = 1e-3;
/// The capsule may find a contact later than the ellipsoid in it by this, in metres.
const ROUNDING: f64 = 1e-3;

impl Agreement {
    /// Compares answers to the same set.
    ///
    /// Where both have the same body, one hits if the other does. Where we sweep an ellipsoid and they the capsule
    /// around it, they hit if we do, and not later.
    pub(crate) fn between(set: &Set, ours: &[Option<f32>], theirs: &[Option<f32>]) -> Self {
        let (mut contradictions, mut difference, mut both) = (0, 0.0, 0_usize);
        for ((query, ours), theirs) in set.queries.iter().zip(ours).zip(theirs) {
            let way = |fraction: &Option<f32>| fraction.map(|f| f64::from(f) * f64::from(query.motion.norm()));
            match (way(ours), way(theirs)) {
                (Some(ours), Some(theirs)) if set.body == Body::Tall => {
                    contradictions += usize::from(theirs > ours + ROUNDING);
                }
                (Some(ours), Some(theirs)) if (ours - theirs).abs() > APART => contradictions += 1,
                (Some(ours), Some(theirs)) => {
                    difference += (ours - theirs).abs();
                    both += 1;
                }
                (None, Some(_)) if set.body == Body::Tall => (),
                (None, None) => (),
                (Some(_), None) | (None, Some(_)) => contradictions += 1,
            }
        }
        let mean_difference = difference / both.max(1) as f64;
        Self { queries: set.queries.len(), contradictions, mean_difference }
    }

    /// Prints what differs; whether the libraries agree.
    pub(crate) fn report(&self, set: &str, peer: &str) -> bool {
        let Self { queries, contradictions, mean_difference } = self;
        let agrees =
            *contradictions as f64 <= MOST_CONTRADICTIONS * *queries as f64 && *mean_difference <= MOST_DIFFERENCE;
        if *contradictions > 0 || !agrees {
            let gross = if agrees { "" } else { ": GROSS" };
            eprintln!(
                "  {set}: {peer} and sidle contradict each other in {contradictions} of {queries} queries; \
                 contacts differ by {:.4} mm on average{gross}",
                mean_difference * 1e3
            );
        }
        agrees
    }
}

#[cfg(test)]
mod tests {
    use sidle::nalgebra::{Point3, Vector3};

    use super::*;
    use crate::sets::Query;

    fn agrees(body: Body, ours: Option<f32>, theirs: Option<f32>) -> bool {
        let query = Query { start: Point3::origin(), motion: Vector3::new(10.0, 0.0, 0.0) };
        let set = Set { name: "one", body, queries: vec![query] };
        Agreement::between(&set, &[ours], &[theirs]).report("one", "other")
    }

    #[test]
    fn balls_hit_together_and_at_the_same_place() {
        assert!(agrees(Body::Ball, None, None));
        assert!(agrees(Body::Ball, Some(0.5), Some(0.50005)));
        assert!(!agrees(Body::Ball, Some(0.5), Some(0.5005)));
        assert!(!agrees(Body::Ball, Some(0.5), Some(0.6)));
        assert!(!agrees(Body::Ball, Some(0.5), None));
        assert!(!agrees(Body::Point, None, Some(0.5)));
    }

    #[test]
    fn a_capsule_hits_no_later_than_the_ellipsoid_in_it() {
        assert!(agrees(Body::Tall, None, Some(0.5)));
        assert!(agrees(Body::Tall, Some(0.5), Some(0.1)));
        assert!(!agrees(Body::Tall, Some(0.5), Some(0.6)));
        assert!(!agrees(Body::Tall, Some(0.5), None));
    }
}
