import type { InstanceId } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { Eviction } from "../drain/eviction.ts";
import type { EventAdmission } from "../interruption/event-admission.ts";
import type { Subject } from "../notice/subject.ts";
import type { Entry } from "./entry.ts";

/** Which nodes this process marks, or has just marked, so that its drains do not all mark the nodes of each other. */
export interface Marks {
  /** Keeps a mark of an instance's node that is under way. */
  keep(instance: InstanceId, mark: Promise<unknown>): void;
  /** The mark that is under way, or was until a moment ago. */
  find(instance: InstanceId): Promise<unknown> | undefined;
  /** Notes that a node has been marked. */
  made(): void;
  /** How many nodes this process has marked so far: who waits for marks sees by it whether they go on. */
  count(): number;
}

/** The requests for pods that this process has under way, or that took effect a moment ago, so that two drains of one node send each once. */
export interface PodRequests {
  /** The answer to such a request; sends it if there is none. */
  recall(title: string, send: () => Promise<Eviction>): Promise<Eviction>;
  /** Forgets such an answer once the pod shows that the request had no effect, so that the next one is sent. */
  forget(title: string): void;
}

/** Since when this process knows what others have written, so that a clock of theirs makes it last no longer. */
export interface Sightings {
  /** When this process first saw what is now said about something. */
  since(about: string, said: string): Instant;
}

/** Finds out about several instances at once. */
export type AsksAdmission = (
  instances: readonly InstanceId[],
) => Promise<ReadonlyMap<InstanceId, EventAdmission>>;

/** Which instances of notices that no hook holds may be touched, so that those of others cost next to nothing. */
export interface Admissions {
  /** Instances that are asked about at the same moment are asked about together. A refusal is remembered for some minutes. */
  of(instance: InstanceId, ask: AsksAdmission): Promise<EventAdmission>;
}

/** Records everything that happens; whoever knows what it is about says so with the entry. */
export interface Journal {
  record(entry: Entry & Subject): void;
}
