import { randomUUID } from "node:crypto";
import { type Clock, type Pause, sleepFor } from "../base/clock.port.ts";
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
import type { Eviction } from "../drain/eviction.ts";
import type { EventAdmission } from "../interruption/event-admission.ts";
import type {
  Admissions,
  AsksAdmission,
  InterruptionPorts,
} from "../interruption/interruption.port.ts";
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
// The messages of a batch are read side by side, within far less.
const gathering = milliseconds(5);

const lasts = ({ kind }: EventAdmission): Duration =>
  kind === "refused" ? memory : milliseconds(0);

type AdmissionAnswers = ReadonlyMap<InstanceId, EventAdmission>;

interface GatheredInstances {
  readonly instances: Set<InstanceId>;
  readonly answers: Promise<AdmissionAnswers>;
}

/** The admissions of all notices of this process: asked for together, and remembered where they are refused. */
export class SharedAdmissions implements Admissions {
  readonly #clock: Clock;
  readonly #known: TtlCache<EventAdmission>;
  #open: GatheredInstances | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#known = new TtlCache(clock, lasts);
  }

  of(instance: InstanceId, ask: AsksAdmission): Promise<EventAdmission> {
    return this.#known.recall(instance, () => this.#ask(instance, ask));
  }

  async #ask(instance: InstanceId, ask: AsksAdmission): Promise<EventAdmission> {
    this.#open ??= this.#gather(ask);
    const { instances, answers } = this.#open;
    instances.add(instance);
    const reason = `nobody knows instance ${instance}`;
    return (await answers).get(instance) ?? { kind: "refused", why: "other", reason };
  }

  #gather(ask: AsksAdmission): GatheredInstances {
    const instances = new Set<InstanceId>();
    return { instances, answers: this.#later(instances, ask) };
  }

  async #later(instances: ReadonlySet<InstanceId>, ask: AsksAdmission): Promise<AdmissionAnswers> {
    await sleepFor(gathering, this.#clock);
    this.#open = undefined;
    return ask([...instances]);
  }
}

// Longer than the interval between drains of one batch, and shorter than the time until an uncordoned node is noticed.
const markMemory = seconds(20);

/** The marks of all drains of this process; each is remembered for some seconds. */
export class SharedMarks extends TtlCache<unknown> implements Marks {
  #count = 0;

  constructor(clock: Pick<Clock, "now">) {
    super(clock, () => markMemory);
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

const tookEffect = ({ kind }: Eviction): boolean => kind === "accepted" || kind === "gone";

/** The requests of all drains of this process. */
const sharedPodRequests = (clock: Pick<Clock, "now">): PodRequests =>
  new TtlCache<Eviction>(clock, (answer) => (tookEffect(answer) ? requestMemory : milliseconds(0)));
