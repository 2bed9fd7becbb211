import { randomUUID } from "node:crypto";
import type { Clock, Pause } from "../base/clock.port.ts";
import type { InstanceId } from "../base/ids.ts";
import {
  type Duration,
  type Instant,
  instant,
  latest,
  milliseconds,
  minutes,
  seconds,
} from "../base/time.ts";
import type { Marks, PodRequests } from "../drain/drain.port.ts";
import type { Evicted } from "../drain/eviction.ts";
import type { EventAdmission } from "../interruption/event-admission.ts";
import type { EventPass } from "../interruption/event-outcome.ts";
import type {
  Admissions,
  AsksAdmission,
  InterruptionPorts,
  PassedOnBlocks,
} from "../interruption/interruption.port.ts";
import { Gathering } from "./gathering.ts";
import { SharedSightings } from "./shared-sightings.ts";
import { TtlCache } from "./ttl-cache.ts";

/** The ports that the drains of a process share, so that together they read and write no more than needed. */
export const sharedPorts = (
  clock: Clock,
): Pick<
  InterruptionPorts,
  "admissions" | "departures" | "marks" | "pause" | "podRequests" | "process" | "sightings"
> => ({
  pause: sharedPause(),
  marks: new SharedMarks(clock),
  podRequests: sharedPodRequests(clock),
  sightings: new SharedSightings(clock),
  process: randomUUID(),
  admissions: new SharedAdmissions(clock),
  departures: new SharedAdmissions(clock),
});

// An instance has up to five notices within minutes: at risk, interrupted, stopping, shutting down, terminated.
const memory = minutes(5);
const lasts = ({ kind }: EventAdmission): Duration =>
  kind === "refused" ? memory : milliseconds(0);

/** The admissions of all notices of this process: asked for together, and remembered where they are refused. */
export class SharedAdmissions implements Admissions {
  readonly #known: TtlCache<EventAdmission>;
  readonly #gathering: Gathering<ReadonlyMap<InstanceId, EventAdmission>>;
  #lastAsked: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock) {
    this.#known = new TtlCache(clock, lasts);
    this.#gathering = new Gathering(clock);
  }

  of(instance: InstanceId, ask: AsksAdmission): Promise<EventAdmission> {
    return this.#known.recall(instance, async () =>
      answerOf(instance, await this.#gathering.of(instance, ask)),
    );
  }

  forget(instance: InstanceId): void {
    this.#known.forget(instance);
  }

  /** Nothing of it is remembered: one message can name thousands. */
  async ofAll(
    instances: readonly InstanceId[],
    ask: AsksAdmission,
  ): Promise<ReadonlyMap<InstanceId, EventAdmission>> {
    const asked = this.#lastAsked.then(() => ask(instances));
    this.#lastAsked = asked.catch(() => undefined);
    const answers = await asked;
    return new Map(instances.map((instance) => [instance, answerOf(instance, answers)]));
  }
}

const answerOf = (
  instance: InstanceId,
  answers: ReadonlyMap<InstanceId, EventAdmission>,
): EventAdmission =>
  answers.get(instance) ?? {
    kind: "refused",
    why: "other",
    reason: `nobody knows instance ${instance}`,
  };

// Longer than the interval between drains of one batch, and shorter than the time until an uncordoned node is noticed.
const markMemory = seconds(20);

/** The marks of all drains of this process; each is remembered for some seconds, unless it has failed. */
export class SharedMarks extends TtlCache<unknown> implements Marks {
  #count = 0;

  constructor(clock: Pick<Clock, "now">) {
    super(clock, (mark) => (mark === "failed" ? milliseconds(0) : markMemory));
  }

  made(): void {
    this.#count += 1;
  }

  count(): number {
    return this.#count;
  }
}

/** A pause that all drains of this process keep, because the API server throttles a client as a whole, not each drain. */
function sharedPause(): Pause {
  let until: Instant = instant(0);
  return {
    until: () => until,
    extend(other) {
      until = latest(until, other);
    },
  };
}

// A drain believes for as long that a request has taken effect.
const requestMemory = minutes(2);

const tookEffect = ({ kind }: Evicted): boolean => kind === "accepted" || kind === "gone";

/** The requests of all drains of this process. */
const sharedPodRequests = (clock: Pick<Clock, "now">): PodRequests =>
  new TtlCache<Evicted>(clock, (answer) => (tookEffect(answer) ? requestMemory : milliseconds(0)));

const passedOnMemory = minutes(1);

/** The Capacity Blocks that this process has passed on; a notice that was not passed on is not remembered. */
export const sharedPassedOnBlocks = (clock: Pick<Clock, "now">): PassedOnBlocks =>
  new TtlCache<EventPass>(clock, (pass) =>
    pass.kind === "done" && pass.outcome.kind === "passed-on" ? passedOnMemory : milliseconds(0),
  );
