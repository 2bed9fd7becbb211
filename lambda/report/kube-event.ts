import type { ObjectRef } from "../drain/pod.ts";
import { type AnyEntry, ofKinds } from "../notice/entry.ts";
import type { Subject } from "../notice/subject.ts";
import type { LastingHolds } from "./holds.ts";
import type { PassFacts } from "./pass-facts.ts";
import type { RecordedEntry, ReportedEntry } from "./reported-entry.ts";

/** The common fields of the Events of one reason. */
export interface EventKind {
  /** The reason, by which people filter. */
  readonly reason: string;
  readonly type: "Normal" | "Warning";
  /** The act of the function, such as `Drain`. */
  readonly action: string;
  /** The kind of object that the Event is about, for docs/events.md. */
  readonly on: "node" | "pod" | "owner";
  /** The passes that record it: only the first, or each, as a series. */
  readonly series: "once" | "in each pass";
  /** The description in docs/events.md. */
  readonly meaning: string;
}

/** The note of an Event, and the object that it is about. */
export interface EventContent {
  readonly regarding: ObjectRef;
  /** Distinguishes Events of the same reason and object; empty where there is only one. */
  readonly about: string;
  readonly note: string;
}

/** An Event of Kubernetes. */
export type KubeEvent = EventKind & EventContent;

/** A row of the table of Events: which Events to create for a kind of entry. */
export interface EventRow extends EventKind {
  said(happening: RecordedEntry, story: PassFacts): readonly EventContent[];
}

/** Makes a row of the table for one kind of a subject's entries. */
export const rowsOf =
  <E extends AnyEntry>() =>
  <K extends E["kind"]>(
    kind: K,
    event: EventKind,
    said: (
      happening: Extract<E, { readonly kind: K }> & Subject,
      story: PassFacts,
    ) => readonly EventContent[],
  ): EventRow => {
    const isOfKind = ofKinds<E>()(kind);
    return { ...event, said: (one, story) => (isOfKind(one) ? said(one, story) : []) };
  };

/** Makes a row for an entry that every function reports, or for lasting holds. */
export const row = rowsOf<LastingHolds | ReportedEntry>();

/** References a node as its kubelet does in its own Events, so that kubectl finds these by name and by UID. */
export const nodeRef = (name: string): ObjectRef => ({
  apiVersion: "v1",
  kind: "Node",
  namespace: "",
  name,
  uid: name,
});

export const onNode = (node: string, note: string, about = ""): readonly EventContent[] => [
  { regarding: nodeRef(node), about, note },
];

/** An Event about the node of the pass, or about its instance while the node is unknown. */
export function onOwnNode(
  { node, instance }: PassFacts,
  note: string,
  about = "",
): readonly EventContent[] {
  const name = node || instance;
  return name === "" ? [] : onNode(name, note, about);
}

/** An Event about a pod, given by its title in the journal. */
export function onPod(title: string, uid: string, note: string): EventContent {
  const [namespace = "", name = ""] = title.split("/", 2);
  return { regarding: { apiVersion: "v1", kind: "Pod", namespace, name, uid }, about: "", note };
}
