//! A tick of one character, from the wish to the report.

use nalgebra::{Point3, Vector3};

use super::{
    Character, CharacterState, Scratch, TickInput, TickReport,
    around::Around,
    depenetrate::push_out,
    ground::{GroundState, Of, Walker},
    input::Wish,
    lateral::{Course, Lateral},
};
use crate::{
    InputError,
    real::{Real, narrow, widen},
    world::{CollisionWorld, DebugEventKind, Nearby, TickPart},
};

impl<T: Real> Character<T> {
    /// [`Character::tick`] with a report, which is large, that is there already.
    #[inline]
    pub(super) fn tick_into(
        &mut self,
        world: &(impl CollisionWorld + ?Sized),
        input: &TickInput<T>,
        dt: T,
        scratch: &mut Scratch,
        report: &mut TickReport<T>,
    ) -> Result<(), InputError> {
        let mut wish = Wish::new(input, dt)?;
        let start = self.state.exact_position();
        self.set_off(world, &mut wish, scratch, report);
        self.tick_as(world, &wish, start, scratch, report);
        Ok(())
    }

    /// Before it moves itself: what moves takes it along, and a belt on which it stands adds to the wish.
    pub(super) fn set_off(
        &mut self,
        world: &(impl CollisionWorld + ?Sized),
        wish: &mut Wish,
        scratch: &mut Scratch,
        report: &mut TickReport<T>,
    ) {
        scratch.near.recorder_mut().begin_again(TickPart::Ride);
        report.from = self.state.position;
        report.ride = self.ride(world, wish, scratch);
        if !wish.flies() {
            wish.go_with(self.belt(world));
        }
    }

    /// Walks or flies as wished, having set off from `start`; fills in all the rest of the report.
    pub(super) fn tick_as(
        &mut self,
        world: &(impl CollisionWorld + ?Sized),
        wish: &Wish,
        start: Point3<f64>,
        scratch: &mut Scratch,
        report: &mut TickReport<T>,
    ) {
        self.note_planes(&scratch.near);
        if wish.flies() {
            return self.fly_as(world, wish, start, scratch, report);
        }
        let noted = scratch.near.recorder_mut().events().len();
        report.wished = narrow(&(self.way_wished(wish) / wish.dt));
        let mut state = self.walk(world, wish, Around::Walk, scratch, report);
        if scratch.near.was_left() {
            scratch.near.recorder_mut().keep(noted);
            state = self.walk(world, wish, Around::All, scratch, report);
        }
        self.state = state;
        report.velocity = narrow(&((state.exact_position() - start) / wish.dt));
    }

    /// The state after a tick among the triangles gathered for it. Fills in the report, which is large, where it is.
    fn walk(
        &self,
        world: &(impl CollisionWorld + ?Sized),
        wish: &Wish,
        around: Around,
        scratch: &mut Scratch,
        report: &mut TickReport<T>,
    ) -> CharacterState<T> {
        let (position, pushed_out) = self.push_out(world, wish, around, scratch);
        let near = &scratch.near;
        let things = Of(world);
        let walker = Walker::new(near, &self.body, &self.limits, wish.up, &things);

        let was_on_ground = self.is_on_ground();
        let jumps = wish.jump.filter(|_| was_on_ground);
        let walks = was_on_ground && jumps.is_none();
        let mut momentum = widen(&self.state.momentum);
        if let Some(speed) = jumps {
            momentum = wish.up * speed;
        }

        let support = self.state.support(&walker);
        let ground = Some(widen(&self.state.ground_normal)).filter(|n| walks && *n != Vector3::zeros());
        let can_step = walks && self.limits.step_height > 0.0;
        let rounding = if T::IS_F32 { T::ROUNDING } else { 0.0 };
        let support = can_step.then_some(support);
        let mut sideways = Lateral { wish: wish.level, ground, rounding, support, rides_up_to: None };
        let mut course = Course::at(position);
        if walks {
            sideways.wish -= wish.done(&wish.level, walker.level(wish.pushed));
            walker.walk(&sideways, &mut course);
        } else {
            walker.fall(&sideways, wish, &mut momentum, &mut course);
        }
        let Course { position, lateral, vertical, ground, stepped_on } = &course;
        if ground.state == GroundState::OnGround {
            momentum = Vector3::zeros();
        } else if was_on_ground {
            let velocity = self.platform(world).map(|(_, motion)| motion.velocity_at(position));
            momentum += velocity.unwrap_or_default() + self.belt(world);
        }
        let state = self.state.after(&walker, *position, &momentum, ground, *stepped_on);
        report.to = state.position;
        report.ground = ground.cast();
        report.lateral.set(lateral);
        report.vertical.set(vertical);
        report.has_stepped = stepped_on.is_some();
        report.pushed_out = T::nearest(pushed_out);
        state
    }

    /// Where the wish would lead if nothing were in the way, in metres: across `up`, and in the air up or down; of who flies, all of
    /// it; less what a push has done of it.
    pub(super) fn way_wished(&self, wish: &Wish) -> Vector3<f64> {
        if wish.flies() {
            let way = wish.velocity * wish.dt;
            return way - wish.done(&way, wish.pushed);
        }
        let jump = wish.jump.filter(|_| self.is_on_ground());
        if jump.is_none() && self.is_on_ground() {
            let pushed = wish.pushed - wish.up * wish.pushed.dot(&wish.up);
            return wish.level - wish.done(&wish.level, pushed);
        }
        let momentum = jump.map_or_else(|| widen(&self.state.momentum), |speed| wish.up * speed);
        let way = wish.level + momentum * wish.dt - wish.up * (0.5 * wish.gravity * wish.dt * wish.dt);
        way - wish.done(&way, wish.pushed)
    }

    /// Gathers the triangles around a position.
    pub(super) fn gather(
        &self,
        world: &(impl CollisionWorld + ?Sized),
        position: Point3<f64>,
        wish: &Wish,
        around: Around,
        scratch: &mut Scratch,
    ) {
        let bounds = around.bounds(position, &self.body, &self.limits, wish, &widen(&self.state.momentum));
        scratch.near.gather_or_keep(world, &bounds, around.margin(&self.body), &self.filter);
        self.body.measure(&mut scratch.near, position);
    }

    /// Pushes the body out of what it overlaps; also returns how far that was.
    ///
    /// Who was pushed far is surrounded by other triangles than were gathered, so these are gathered anew.
    pub(super) fn push_out(
        &self,
        world: &(impl CollisionWorld + ?Sized),
        wish: &Wish,
        around: Around,
        scratch: &mut Scratch,
    ) -> (Point3<f64>, f64) {
        let start = self.state.exact_position();
        scratch.near.recorder().begin(TickPart::PushOut);
        self.gather(world, start, wish, around, scratch);
        let (position, distance) = push_out(&scratch.near, &self.body, start);
        if distance > around.spare(&self.body) {
            self.gather(world, position, wish, Around::All, scratch);
        }
        scratch.near.recorder().begin(TickPart::Sideways);
        (position, distance)
    }

    /// Tells of the planes between this one and others.
    fn note_planes(&self, near: &Nearby) {
        let position = self.state.exact_position();
        for half_space in near.half_spaces() {
            near.recorder().note(|| {
                let touch = self.body.touch_of(half_space, 0.0, position);
                let point = touch.point - half_space.normal * half_space.room(&position);
                DebugEventKind::Plane { point, normal: half_space.normal }
            });
        }
    }
}
