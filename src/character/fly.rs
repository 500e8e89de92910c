//! Moving freely: flying, swimming, and whatever else asks for neither gravity nor ground.

use nalgebra::{Point3, Vector3};

use super::{
    Character, MovementMode, Scratch, TickInput, TickReport,
    around::Around,
    ground::{Ground, Of, Walker},
    input::Wish,
    slide::{Slide, slide},
};
use crate::{
    InputError,
    real::{Real, narrow},
    world::CollisionWorld,
};

impl<T: Real> Character<T> {
    /// Moves freely for `dt` seconds: collide and slide along the whole velocity, without gravity, ground or steps.
    ///
    /// The same as [`Character::tick`] with an input of [`MovementMode::Fly`], whatever its mode is.
    ///
    /// # Errors
    /// If `dt` is not positive or a number of the input is not finite. The character then stays as it was.
    pub fn fly(
        &mut self,
        world: &(impl CollisionWorld + ?Sized),
        input: &TickInput<T>,
        dt: T,
        scratch: &mut Scratch,
    ) -> Result<TickReport<T>, InputError> {
        self.tick(world, &TickInput { mode: MovementMode::Fly, ..*input }, dt, scratch)
    }

    /// Flies as wished, having set off from `start`; fills in all the rest of the report.
    #[inline(never)]
    pub(super) fn fly_as(
        &mut self,
        world: &(impl CollisionWorld + ?Sized),
        wish: &Wish,
        start: Point3<f64>,
        scratch: &mut Scratch,
        report: &mut TickReport<T>,
    ) {
        let (position, pushed_out) = self.push_out(world, wish, Around::All, scratch);
        let way = wish.velocity * wish.dt;
        let done = wish.done(&way, wish.pushed);
        let slide = slide(&scratch.near, &self.body, position, way - done);
        let near = &scratch.near;
        let things = Of(world);
        let walker = Walker::new(near, &self.body, &self.limits, wish.up, &things);
        self.state = self.state.after(&walker, slide.position, &Vector3::zeros(), &Ground::none(), None);
        report.to = self.state.position;
        report.velocity = narrow(&((self.state.exact_position() - start) / wish.dt));
        report.wished = narrow(&(wish.velocity - done / wish.dt));
        report.ground = Ground::none();
        report.lateral.set(&slide);
        report.vertical = Slide::none(self.state.position);
        report.has_stepped = false;
        report.pushed_out = T::nearest(pushed_out);
    }
}
