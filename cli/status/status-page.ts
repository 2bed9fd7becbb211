import type { PageStory } from "../../journal/page/page.ts";
import type { Picture } from "../../journal/picture.ts";
import type { TimelineRow } from "../../journal/timeline.ts";
import { instant, never, tryInstantOf } from "../../lambda/base/time.ts";
import type { Line } from "../terminal/lines.ts";
import type { LeftPod } from "./left-pod-schema.ts";
import { instanceLines, isOfDrain, nodeLines, statusLines } from "./status-lines.ts";
import type { ClusterStatus, HeldInstanceStatus, MarkedNode } from "./status-schema.ts";

/** The page about what is held now: a picture of each instance or node since its mark. */
export function statusPage(status: ClusterStatus): PageStory {
  const { held, marked, gaps } = status;
  const [head] = statusLines(status);
  const unread =
    gaps.length === 0 ? "" : `; not read: ${gaps.map(({ source }) => source).join(", ")}`;
  return {
    title: head?.text ?? "",
    source: `From Auto Scaling and the cluster, at ${status.at}${unread}.`,
    drains: [
      ...held.map((one) => heldPicture(one, status)),
      ...marked.map((node) => markedPicture(node, status)),
    ],
  };
}

const heldPicture = (held: HeldInstanceStatus, status: ClusterStatus): Picture => ({
  ...nodePicture(held.node === "none" ? noNode : held.node, status.at),
  instance: held.instance,
  group: held.group,
  words: `${held.state}; ${inShort(instanceLines({ ...held, node: held.node === "none" ? "none" : withoutTime(held.node) }, status))}`,
});

/** A node that no hook holds and that has no remaining pods is drained. It stays marked until its instance has ended. */
const markedPicture = (node: MarkedNode, status: ClusterStatus): Picture => ({
  ...nodePicture(node, status.at),
  words: inShort(nodeLines(withoutTime(node), status)),
  state: isEmptied(node) ? "done" : "under way",
});

const isEmptied = ({ cause, pods, volumes }: MarkedNode): boolean =>
  isOfDrain(cause) && pods.length + volumes.length === 0;

const noNode = { node: "", markedAt: "", deadline: "", pods: [], volumes: [] };

/** The page shows the remaining time itself. */
const withoutTime = (node: MarkedNode): MarkedNode => ({ ...node, secondsLeft: null });

/** The facts in one line. */
const inShort = (lines: readonly Line[]): string =>
  lines.flatMap(({ depth, text }) => (depth === 1 ? text : [])).join("; ");

type Shown = Pick<MarkedNode, keyof typeof noNode>;

function nodePicture({ node, markedAt, deadline, pods, volumes }: Shown, at: string): Picture {
  const to = tryInstantOf(at) ?? instant(0);
  const time = { from: tryInstantOf(markedAt) ?? to, to };
  const attached = volumes.join(", ");
  const span = { kind: "awaited", reason: attached, ...time } as const;
  const row = { kind: "volumes", label: "volumes", state: "waiting", marks: [] } as const;
  return {
    ...time,
    node,
    instance: "",
    group: "",
    words: "",
    state: "under way",
    deadline: tryInstantOf(deadline) ?? never,
    rows: [
      ...pods.map((pod) => podRow(pod, time)),
      ...(attached === "" ? [] : [{ ...row, spans: [span], note: attached }]),
    ],
  };
}

function podRow(
  { pod, class: kind, reason, budgets }: LeftPod,
  time: Pick<Picture, "from" | "to">,
): TimelineRow {
  const isHeld = kind === "protected" || budgets.some(({ allowed }) => allowed === 0);
  const leaves = kind === "leaving" || kind === "stuck";
  const span = leaves ? "ending" : isHeld ? "held" : "on the node";
  const state = leaves ? "ending" : isHeld ? "held" : "waiting";
  const spans = [{ kind: span, reason, ...time }] as const;
  return { kind: "pod", label: pod, state, spans, marks: [], note: reason };
}
