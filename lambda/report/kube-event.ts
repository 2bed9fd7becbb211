import type { ObjectRef } from "../drain/pod.ts";
import type { Subject } from "../notice/subject.ts";
import type { Entry } from "../registrations/entry.ts";
import type { LastingHolds } from "./holds.ts";
import type { PassStory } from "./story.ts";

/** What the Events of one reason have in common. */
export interface EventKind {
  /** The reason, by which people filter. */
  readonly reason: string;
  readonly type: "Normal" | "Warning";
  /** What the function was doing. */
  readonly action: "Cordon" | "Drain" | "Evict" | "Launch" | "Remove" | "Repair" | "Upgrade";
  /** What the Event is about, for the list in the documents. */
  readonly on: "node" | "pod" | "owner";
  /** Whether every pass writes it again, as a series, or only the first pass does. */
  readonly told: "once" | "in each pass";
  /** What it means, for the list in the documents. */
  readonly meaning: string;
}

/** What an Event says, and about which object. */
export interface EventContent {
  readonly regarding: ObjectRef;
  /** Tells it from other Events of the same reason and object; empty where there is only one. */
  readonly about: string;
  readonly note: string;
}

/** An Event of Kubernetes. */
export type KubeEvent = EventKind & EventContent;

/** What may be told as Events: an entry of the journal, or holds that last. */
export type ReportableEntry = (Entry & Subject) | LastingHolds;

/** A row of the table of Events: what something that happens is as an Event. */
export interface EventRow extends EventKind {
  said(happening: ReportableEntry, story: PassStory): readonly EventContent[];
}

type ReportableOf<K extends ReportableEntry["kind"]> = Extract<
  ReportableEntry,
  { readonly kind: K }
>;

/** Makes a row of the table, for one kind of what happens. */
export function row<K extends ReportableEntry["kind"]>(
  kind: K,
  event: EventKind,
  said: (happening: ReportableOf<K>, story: PassStory) => readonly EventContent[],
): EventRow {
  const isOfKind = (one: ReportableEntry): one is ReportableOf<K> => one.kind === kind;
  return { ...event, said: (one, story) => (isOfKind(one) ? said(one, story) : []) };
}

/** Names a node as its kubelet does in its own Events. kubectl finds these by the name and by the UID. */
export const nodeRef = (name: string): ObjectRef => ({
  apiVersion: "v1",
  kind: "Node",
  namespace: "",
  name,
  uid: name,
});

/** What an Event says about a node. */
export const onNode = (node: string, note: string, about = ""): readonly EventContent[] => [
  { regarding: nodeRef(node), about, note },
];

/** What an Event says about the node of the story; before that is known, about its instance. */
export function onOwnNode(
  { node, instance }: PassStory,
  note: string,
  about = "",
): readonly EventContent[] {
  const name = node || instance;
  return name === "" ? [] : onNode(name, note, about);
}

/** What an Event says about a pod, which has a title as the journal has it. */
export function onPod(title: string, uid: string, note: string): EventContent {
  const [namespace = "", name = ""] = title.split("/", 2);
  return { regarding: { apiVersion: "v1", kind: "Pod", namespace, name, uid }, about: "", note };
}
