import type { Interviewer } from "../interviewer.ts";
import { merge } from "../matter.ts";
import type { Seen } from "../seen.ts";

const path = "/apis/events.k8s.io/v1/namespaces/default/events";
const time = "2026-11-22T12:00:00.000000Z";
const regarding = { apiVersion: "v1", kind: "Node", name: "node-1", uid: "node-1" };

const event = (name: string, change: object = {}) => ({
  metadata: { name, namespace: "default" },
  eventTime: time,
  reportingController: "interviewer",
  reportingInstance: "interviewer-1",
  action: "Drain",
  reason: "Drained",
  type: "Normal",
  regarding,
  note: "a note",
  ...change,
});

const seen = ({ metadata: { name }, ...rest }: Seen) => ({ name, ...rest });

/** Records Events of a node by events.k8s.io/v1, and repeats them. */
export async function askForEvents(it: Interviewer): Promise<void> {
  const post = (title: string, name: string, change: object = {}) =>
    it.note(title, { method: "POST", path, body: event(name, change) }, seen);
  const patch = (title: string, name: string, body: object) =>
    it.note(title, { path: `${path}/${name}`, ...merge(body) }, seen);
  const series = (count: number) => ({ series: { count, lastObservedTime: time } });
  await post("an Event of a node", "told");
  await post("an Event that is told already", "told");
  await post("an Event with a long note", "b", { note: "ä".repeat(600) });
  await post("an Event that is a series of one", "b", series(1));
  await patch("an Event that becomes a series", "told", series(2));
  await patch("an Event with another note", "told", { note: "another" });
  await patch("a series of an Event that is not there", "none", series(2));
}
