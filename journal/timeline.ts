import { between, type Duration, earliest, type Instant } from "../lambda/domain/time.ts";
import { type Happening, type HappeningOf, ofKind } from "./happening.ts";

/** A stretch of time that a bar shows; without an end it lasts to the end of the timeline. */
export interface Span {
  readonly kind: "on the node" | "held" | "ending";
  readonly from: Instant;
  readonly to: Instant;
}

/** A point in time at which something happened. */
export interface Mark {
  readonly kind: "done" | "elsewhere" | "heartbeat";
  readonly at: Instant;
}

/** One line of a timeline. */
export interface Row {
  readonly label: string;
  readonly spans: readonly Span[];
  readonly marks: readonly Mark[];
  readonly note: string;
}

/** A stretch of time, and what happened in it. */
export interface Story {
  readonly from: Instant;
  readonly to: Instant;
  readonly happenings: readonly Happening[];
}

/** The rows that show a drain: the node's mark, every pod that had to leave, and the hook. */
export function timelineRows(story: Story): readonly Row[] {
  return [...nodeRows(story), ...podRows(story), ...hookRows(story)];
}

function nodeRows({ from, happenings }: Story): readonly Row[] {
  return ofKind(happenings, "node-marked")
    .slice(0, 1)
    .map(({ at, node }) => ({
      label: shortName(node),
      spans: [],
      marks: [{ kind: "done", at }],
      note: `labelled and cordoned at ${clock(between(from, at))}`,
    }));
}

function podRows(story: Story): readonly Row[] {
  const held = ofKind(story.happenings, "pods-seen").flatMap(({ holding }) => holding);
  const evicted = [
    ...ofKind(story.happenings, "pod-evicted"),
    ...ofKind(story.happenings, "pod-deleted"),
  ].map(({ pod }) => pod);
  return [...new Set([...held, ...evicted])].map((pod) => podRow(pod, story));
}

function podRow(pod: string, story: Story): Row {
  const { from, to, happenings } = story;
  const asked = [...ofKind(happenings, "pod-evicted"), ...ofKind(happenings, "pod-deleted")].filter(
    (entry) => entry.pod === pod,
  );
  const gone = ofKind(happenings, "pod-gone").find((entry) => entry.pod === pod);
  const again = ofKind(happenings, "pod-running").find(({ replaces }) => replaces === pod);
  const ends = gone?.at ?? to;
  const begins = asked.length === 0 ? ends : earliest(ends, ...asked.map(({ at }) => at));
  const held = ofKind(happenings, "pods-held").filter(({ pods }) => pods.includes(pod));
  const freed = ofKind(happenings, "pods-freed").filter(({ pods }) => pods.includes(pod));
  const heldUntil = (since: Instant): Instant =>
    earliest(begins, ...freed.map(({ at }) => at).filter((at) => at >= since));
  const notes = [
    ...held.map(({ budget, at }) => `held by ${budget} ${clock(between(from, at))}`).slice(0, 1),
    ...asked.map((entry) => `${askedWords(entry)} ${clock(between(from, entry.at))}`),
    gone === undefined ? "still there" : `gone ${clock(between(from, gone.at))}`,
    ...(again === undefined
      ? []
      : [`again on ${shortName(again.node)} ${clock(between(from, again.at))}`]),
  ];
  return {
    label: pod,
    spans: [
      { kind: "on the node", from, to: begins },
      ...held.map(({ at }): Span => ({ kind: "held", from: at, to: heldUntil(at) })),
      { kind: "ending", from: begins, to: ends },
    ],
    marks: again === undefined ? [] : [{ kind: "elsewhere", at: again.at }],
    note: notes.join(", "),
  };
}

const askedWords = (entry: HappeningOf<"pod-deleted" | "pod-evicted">): string =>
  entry.kind === "pod-deleted" && entry.past !== ""
    ? `deleted past ${entry.past}`
    : entry.kind.slice("pod-".length);

function hookRows({ from, happenings }: Story): readonly Row[] {
  const beats = ofKind(happenings, "heartbeat");
  const ended = ofKind(happenings, "hook-completed")[0];
  const hook = beats[0]?.hook ?? ended?.action.hook;
  if (hook === undefined) return [];
  const marks = beats.map(({ at }): Mark => ({ kind: "heartbeat", at }));
  return [
    {
      label: hook,
      spans: [],
      marks: ended === undefined ? marks : [...marks, { kind: "done", at: ended.at }],
      note:
        ended === undefined
          ? "not completed"
          : `${ended.result} at ${clock(between(from, ended.at))}`,
    },
  ];
}

/** The name of a node without its domain. */
export const shortName = (node: string): string => node.split(".")[0] ?? node;

/** A duration as a stopwatch shows it. */
export const clock = (duration: Duration): string => `${(duration / 1000).toFixed(1)} s`;
