import { Fault } from "../base/fault.ts";
import type { Instant } from "../base/time.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { PassEntry } from "../notice/pass-entry.ts";
import { eventBody, eventSeries, namespaceFor } from "./event-body.ts";
import type { KubeEvent } from "./kube-event.ts";
import type { PassFacts } from "./pass-facts.ts";
import type { EventRecorder } from "./report.port.ts";

// A node may have hundreds of budgets, and a drain may force hundreds of pods. One namespace alone uses up no other one's.
const [mostOfReason, mostInNamespace] = [50, 10];
const mostFailures = 3;

/** The pass and the time of an Event. */
export interface Occasion extends Pick<PassFacts, "instance" | "receives"> {
  readonly at: Instant;
}

interface PendingEvent extends Occasion {
  readonly event: KubeEvent;
  readonly key: string;
}

/** Sends the Events of one pass in order, each once. It leaves out an Event that cannot be sent, and logs that once. */
export class EventTeller {
  readonly #journal: Journal<PassEntry>;
  readonly #recorder: EventRecorder;
  readonly #written = new Map<string, Set<string>>();
  #last: Promise<void> = Promise.resolve();
  /** Those of a namespace by its name; those without an answer by none. */
  readonly #failures = new Map<string, number>();
  #state: "open" | "given up" = "open";

  constructor(journal: Journal<PassEntry>, recorder: EventRecorder) {
    this.#journal = journal;
    this.#recorder = recorder;
  }

  /** Queues an Event, unless this pass has sent it already, or has sent enough Events of its reason. */
  tell(event: KubeEvent, occasion: Occasion): void {
    const { reason, regarding, about } = event;
    const { kind, namespace, name, uid } = regarding;
    const key = [occasion.instance, reason, about, kind, namespace, name, uid].join("\n");
    const kin = [reason, kind === "Node" ? name : occasion.instance].join("\n");
    const [all, own] = [this.#writtenFor(kin), this.#writtenFor(`${kin}\n${namespace}`)];
    if (all.has(key) || all.size >= mostOfReason || own.size >= mostInNamespace) return;
    for (const written of [all, own]) written.add(key);
    this.#last = this.#last.then(() => this.#record({ event, key, ...occasion }));
  }

  #writtenFor(kin: string): Set<string> {
    const written = this.#written.get(kin) ?? new Set();
    this.#written.set(kin, written);
    return written;
  }

  /** Waits until all queued Events are sent. */
  flush(): Promise<void> {
    return this.#last;
  }

  /** Drops all Events that are not being sent yet. */
  giveUp(): void {
    this.#state = "given up";
  }

  async #record(telling: PendingEvent): Promise<void> {
    const namespace = namespaceFor(telling.event);
    if (this.#state === "given up" || this.#failuresIn(namespace) >= mostFailures) return;
    try {
      if (telling.event.series === "once") await this.#create(telling);
      else await this.#add(telling);
    } catch (cause) {
      this.#fail(cause, namespace);
    }
  }

  /** Creates an Event, or increases the count of its series. A later pass usually finds that an earlier one has created it. */
  async #add(telling: PendingEvent): Promise<void> {
    const isFirst = telling.receives === 1;
    if (!isFirst && (await this.#repeat(telling)) === "recorded") return;
    if ((await this.#create(telling)) === "there" && isFirst) await this.#repeat(telling);
  }

  #create({ event, key, at }: PendingEvent) {
    const namespace = namespaceFor(event);
    return this.#recorder.record({ key, namespace, body: eventBody(event, at) }, "new");
  }

  #repeat({ event, key, at, receives }: PendingEvent) {
    const body = eventSeries(Math.max(2, receives), at);
    return this.#recorder.record({ key, namespace: namespaceFor(event), body }, "change");
  }

  #failuresIn(namespace: string): number {
    return this.#failures.get(namespace) ?? 0;
  }

  /**
   * Counts a refusal of the API server, which may concern this namespace alone: its quota is used
   * up, it is being removed, or another Event has that name.
   */
  #fail(cause: unknown, namespace: string): void {
    if (this.#failures.size === 0) this.#warn(cause);
    const where = isRefusal(cause) ? namespace : "";
    this.#failures.set(where, this.#failuresIn(where) + 1);
    if (this.#failuresIn("") >= mostFailures) this.giveUp();
  }

  #warn(cause: unknown): void {
    const warnings = [cause instanceof Error ? cause.message : String(cause)];
    this.#journal.record({ kind: "warning", about: "Events of Kubernetes", warnings });
  }
}

const isRefusal = (cause: unknown): boolean =>
  cause instanceof Fault && ["cluster.forbidden", "cluster.refused"].includes(cause.code);
