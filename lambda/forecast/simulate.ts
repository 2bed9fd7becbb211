import {
  between,
  type Duration,
  earliest,
  type Instant,
  later,
  longest,
  milliseconds,
  never,
  seconds,
} from "../base/time.ts";
import { nextForce } from "../drain/overdue.ts";
import { holdsNode } from "../drain/pod-class.ts";
import { waitBeforePass } from "../notice/next-pass.ts";
import { heldUpToNow, reasonToWait } from "./reason-to-wait.ts";
import { type Course, workedOn } from "./simulated-work.ts";
import type { SimulatedEvent, SimulatedWorld, Simulation } from "./simulation.ts";

// Others may write thousands of pods, each of which ends or is forced at a moment of its own.
const exactLooks = 300_000;
const coarseMoments = 100;
// A look asks each budget of a pod's namespace whether it selects the pod.
const budgetsOfALook = 20;

/**
 * Simulates the drains of nodes that leave together until the engine is done with each of them. They share
 * their budgets: what one takes is gone for the others, and what becomes ready again is there for all.
 *
 * Once pods have been looked at very often, what happens within a hundredth of the longest drain happens at once.
 */
export function simulate(starts: readonly Simulation[]): readonly Simulation[] {
  let courses: readonly Course[] = starts.map((state) => ({ kind: "done", state }));
  const costs = starts.map(costOfALook);
  for (const index of starts.keys()) courses = worked(courses, index);
  for (let looks = 0; courses.some(({ kind }) => kind !== "done"); ) {
    const before = courses;
    courses = wentOn(before, looks < exactLooks ? seconds(0) : coarseGrain(starts));
    looks += looksBetween(before, courses, costs);
  }
  return courses.map(({ state }) => state);
}

const coarseGrain = (starts: readonly Simulation[]): Duration =>
  milliseconds(
    Math.ceil(
      longest(
        seconds(0),
        ...starts.map(({ snapshot: { begun, deadline } }) => between(begun, deadline)),
      ) / coarseMoments,
    ),
  );

/** What a look at a pod of a drain costs on average, in looks at a pod without budgets in its namespace. */
function costOfALook({ snapshot: { pods, budgets } }: Simulation): number {
  const inNamespace = new Map<string, number>();
  for (const { namespace } of budgets)
    inNamespace.set(namespace, (inNamespace.get(namespace) ?? 0) + 1);
  const asked = pods.reduce((sum, { namespace }) => sum + (inNamespace.get(namespace) ?? 0), 0);
  return 1 + asked / Math.max(1, pods.length) / budgetsOfALook;
}

/** What was looked at from one moment to the next: all pods of each drain that went on. */
const looksBetween = (
  before: readonly Course[],
  after: readonly Course[],
  costs: readonly number[],
): number =>
  after.reduce(
    (sum, { state: { snapshot } }, index) =>
      snapshot === before[index]?.state.snapshot
        ? sum
        : sum + snapshot.pods.length * (costs[index] ?? 1),
    0,
  );

/** The next moment at which something happens: its events come first, and then each drain that they concern goes on. */
function wentOn(before: readonly Course[], grain: Duration): readonly Course[] {
  const at = momentAfter(before, grain);
  return before.reduce(
    (courses, was, index) => goneOn(courses, index, { was, at }),
    happened(before, at),
  );
}

/** The end of the moment that begins with the next event. It goes past no deadline. */
function momentAfter(before: readonly Course[], grain: Duration): Instant {
  const open = before.flatMap((course) => (course.kind === "done" ? [] : [course]));
  const events = before.flatMap(({ state }) => state.coming);
  const first = [...open.map(({ until }) => until), ...events.map(({ at }) => at)].reduce(
    (a, b) => earliest(a, b),
    never,
  );
  const deadlines = open
    .map(({ state }) => state.snapshot.deadline)
    .filter((deadline) => deadline > first);
  const [deadline, ...others] = deadlines;
  return deadline === undefined ? first : earliest(later(first, grain), deadline, ...others);
}

/** Has a drain work if the moment concerns it, unless its pass is over: then it rests first. */
function goneOn(
  courses: readonly Course[],
  index: number,
  {
    was,
    at,
  }: {
    /** The state of the drain before the last events. */
    readonly was: Course;
    readonly at: Instant;
  },
): readonly Course[] {
  const course = courses[index];
  if (course === undefined || !isConcerned(course, was, at)) return courses;
  if (course.kind === "rests") return worked(courses, index);
  const next = waited(course.state, was.state, at);
  const all = courses.with(index, next);
  return next.kind === "rests" ? all : worked(all, index);
}

/** Whether a drain goes on: its time has come, or it waits and sees a change. One that rests sees none. */
const isConcerned = (course: Course, was: Course, at: Instant): boolean =>
  course.kind !== "done" &&
  (course.until <= at || (course.kind === "waits" && isChanged(course.state, was.state)));

const isChanged = (now: SimulatedWorld, was: SimulatedWorld): boolean =>
  now.snapshot !== was.snapshot || now.targets !== was.targets;

/** Lets everything happen that is due, in its order. */
function happened(before: readonly Course[], at: Instant): readonly Course[] {
  const isDue = (event: SimulatedEvent): boolean => event.at <= at;
  const due = before
    .flatMap(({ state }, index) => state.coming.filter(isDue).map((event) => ({ event, index })))
    .toSorted((a, b) => a.event.at - b.event.at);
  const rest = before.map((course) => {
    const { coming } = course.state;
    return coming.some(isDue)
      ? { ...course, state: { ...course.state, coming: coming.filter((one) => !isDue(one)) } }
      : course;
  });
  return due.reduce((courses: readonly Course[], { event, index }) => {
    const course = courses[index];
    if (course === undefined) return courses;
    const state = { ...course.state, ...event.to(course.state) };
    return shared(courses.with(index, { ...course, state }), state);
  }, rest);
}

/** Has a drain take the steps that are due, and gives all others the budgets that it leaves. */
function worked(courses: readonly Course[], index: number): readonly Course[] {
  const course = courses[index];
  if (course === undefined) return courses;
  const next = workedOn(course.state);
  return shared(courses.with(index, next), next.state);
}

function shared(
  courses: readonly Course[],
  { snapshot: { budgets } }: Simulation,
): readonly Course[] {
  return courses.map((course) => {
    const { snapshot } = course.state;
    if (snapshot.budgets === budgets) return course;
    return { ...course, state: { ...course.state, snapshot: { ...snapshot, budgets } } };
  });
}

/** Time goes on until now, for a reason that was there before; then the drain works again, or rests. */
function waited(state: Simulation, was: Simulation, due: Instant): Course {
  const { snapshot, setting, passEnds } = state;
  const isOver = due > passEnds;
  const rest = isOver ? restAt(due, was) : seconds(0);
  const at = later(due, rest);
  const next = {
    ...state,
    snapshot: { ...snapshot, now: at },
    passEnds: isOver ? later(at, setting.pass) : passEnds,
    spent: [
      ...state.spent,
      { ...reasonToWait(was), time: between(was.snapshot.now, due) },
      ...(rest > 0 ? [{ on: "rests between passes", budget: "", time: rest }] : []),
    ],
    holds: heldUpToNow(was),
  };
  return { kind: rest > 0 ? "rests" : "waits", state: next, until: at };
}

/** The rest of the drain between two passes. It is back when a pod has to be forced. */
function restAt(due: Instant, { snapshot, setting: { pace, longestRest } }: Simulation): Duration {
  if (pace.rests === "none") return seconds(0);
  const { begun, deadline, pods } = snapshot;
  const held = pods.filter((pod) => holdsNode(pod, snapshot));
  const handback = { now: due, begun, deadline, longestRest, nextForce: nextForce(held, snapshot) };
  const rest = waitBeforePass({ ...handback, progressed: false, receives: 1 });
  return milliseconds(Math.ceil(rest));
}
