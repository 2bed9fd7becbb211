import { type Clock, sleepFor } from "../base/clock.port.ts";
import type { InstanceId } from "../base/ids.ts";
import { type Duration, milliseconds, minutes } from "../base/time.ts";
import type { Admissions, AsksAdmission } from "../interruption/admissions.port.ts";
import type { EventAdmission } from "../interruption/event-admission.ts";
import { TtlCache } from "./ttl-cache.ts";

// An instance has up to five notices within minutes: at risk, interrupted, stopping, shutting down, terminated.
const memory = minutes(5);
// The messages of a batch are read side by side, within far less.
const gathering = milliseconds(5);

const lasts = ({ kind }: EventAdmission): Duration =>
  kind === "refused" ? memory : milliseconds(0);

type Answers = ReadonlyMap<InstanceId, EventAdmission>;

interface Gathering {
  readonly instances: Set<InstanceId>;
  readonly answers: Promise<Answers>;
}

/** The admissions of all notices of this process: asked for together, and remembered where they are refused. */
export class SharedAdmissions implements Admissions {
  readonly #clock: Clock;
  readonly #known: TtlCache<EventAdmission>;
  #open: Gathering | undefined;

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

  #gather(ask: AsksAdmission): Gathering {
    const instances = new Set<InstanceId>();
    return { instances, answers: this.#later(instances, ask) };
  }

  async #later(instances: ReadonlySet<InstanceId>, ask: AsksAdmission): Promise<Answers> {
    await sleepFor(gathering, this.#clock);
    this.#open = undefined;
    return ask([...instances]);
  }
}
