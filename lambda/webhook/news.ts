import type { GroupName, InstanceId } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { Dated } from "../registrations/entry.ts";

/** What people are told of a drain while it goes on: once when it starts, once when something first holds it, once when it is over. */
export interface News {
  readonly kind: "start" | "block" | "end";
  /** `warning` where somebody may want to do something. */
  readonly tone: "good" | "warning";
  readonly instance: InstanceId;
  /** Empty where nobody has named a group. */
  readonly group: GroupName | "";
  readonly node: string;
  readonly at: Instant;
  /** What happened, in the words of the Events of Kubernetes. */
  readonly text: string;
  /** What a person can do about it; empty where there is nothing to do. */
  readonly advice: string;
}

/** An entry of the journal that names its instance. */
export type OfInstance = Dated & Required<Pick<Dated, "instance">>;
