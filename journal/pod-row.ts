import { between, earliest, type Instant } from "../lambda/base/time.ts";
import type { Note } from "../lambda/notice/outcome.ts";
import { type Happening, type HappeningOf, leftBy, ofKind, tryWhyLeft } from "./happening.ts";
import { refusalWords } from "./progress-line.ts";
import {
  clock,
  type RowState,
  shortName,
  type TimelineRow,
  type TimelineSpan,
  type TimelineStory,
} from "./timeline.ts";

/** The rows of all pods that had to leave: ordinary ones first, then critical ones. */
export function podRows(story: TimelineStory): readonly TimelineRow[] {
  const { happenings } = story;
  const seen = ofKind(happenings, "pods-seen");
  const names = new Set([
    ...seen.flatMap(({ holding }) => holding),
    ...askedIn(happenings).map(({ pod }) => pod),
  ]);
  const critical = new Set(seen.flatMap((entry) => entry.critical));
  const rows = [...names].map((pod) =>
    podRow(pod, critical.has(pod) ? "critical" : "ordinary", story),
  );
  return [
    ...rows.filter(({ kind }) => kind === "ordinary"),
    ...rows.filter(({ kind }) => kind === "critical"),
  ];
}

function podRow(pod: string, kind: TimelineRow["kind"], story: TimelineStory): TimelineRow {
  const { from, to, happenings } = story;
  const asked = askedIn(happenings).filter((entry) => entry.pod === pod);
  const end = endOf(pod, happenings);
  const again = ofKind(happenings, "pod-running").find(({ replaces }) => replaces === pod);
  const ends = end.kind === "there" ? to : end.at;
  const begins = asked.length === 0 ? ends : earliest(ends, ...asked.map(({ at }) => at));
  const held = heldSpans(pod, begins, happenings);
  const since = (at: Instant) => clock(between(from, at));
  const notes = [
    ...held.slice(0, 1).map(({ budget, span }) => `held by ${budget} ${since(span.from)}`),
    ...asked.map((entry) => `${askedWords(entry)} ${since(entry.at)}`),
    endWords(end, from),
    ...(again === undefined ? [] : [`again on ${shortName(again.node)} ${since(again.at)}`]),
  ];
  return {
    kind,
    label: pod,
    state: stateOf({ end, asked: asked.length, held, to }),
    spans: [
      { kind: "on the node", from, to: begins, reason: waitWords(pod, happenings) },
      ...held.map(({ span }) => span),
      { kind: "ending", from: begins, to: ends, reason: endingWords(asked) },
    ],
    marks:
      again === undefined
        ? []
        : [{ kind: "elsewhere", at: again.at, reason: `${again.pod} runs on ${again.node}` }],
    note: notes.join(", "),
  };
}

type Removal = HappeningOf<"pod-deleted" | "pod-evicted">;

const askedIn = (happenings: readonly Happening[]): readonly Removal[] => [
  ...ofKind(happenings, "pod-evicted"),
  ...ofKind(happenings, "pod-deleted"),
];

type PodEnd =
  | { readonly kind: "there"; readonly why: string }
  | { readonly kind: "gone" | "missed"; readonly at: Instant };

/** When a pod was gone. A pod that ended between two passes has no entry, but the next pass does not see it. */
function endOf(pod: string, happenings: readonly Happening[]): PodEnd {
  const gone = ofKind(happenings, "pod-gone").find((entry) => entry.pod === pod);
  if (gone !== undefined) return { kind: "gone", at: gone.at };
  const looks = ofKind(happenings, "pods-seen");
  const last = looks.findLastIndex(({ holding, skipped }) =>
    [...holding, ...skipped].includes(pod),
  );
  const missed = looks.slice(last + 1).find(isWhole) ?? emptiedAt(pod, happenings);
  if (missed !== undefined) return { kind: "missed", at: missed.at };
  return { kind: "there", why: whyLeft(pod, happenings) };
}

/** True if a look names all pods: a line of the log has room for some. */
const isWhole = (look: HappeningOf<"pods-seen">): boolean => !("cut" in look);

/** The end of a drain that found the node empty, unless this pod is one that did not end. */
function emptiedAt(pod: string, happenings: readonly Happening[]) {
  const lastPass = happenings.slice(
    happenings.findLastIndex(({ kind }) => kind === "pass-started"),
  );
  const stuck = ofKind(lastPass, "pods-stuck").flatMap(({ pods }) => pods);
  if (stuck.some((one) => one.pod === pod)) return undefined;
  return ofKind(happenings, "notice-done").find(
    ({ outcome: { kind } }) => kind === "drained" || kind === "forced",
  );
}

/** The last pass' reason for a pod that is left. */
function whyLeft(pod: string, happenings: readonly Happening[]): string {
  const left = happenings.flatMap((one): readonly Note[] => {
    if (one.kind === "pass-ended") return one.left;
    return one.kind === "notice-done" ? leftBy(one.outcome) : [];
  });
  return tryWhyLeft(pod, left) ?? "";
}

function endWords(end: PodEnd, from: Instant): string {
  if (end.kind === "there") return end.why === "" ? "still there" : `still there: ${end.why}`;
  return `${end.kind === "gone" ? "gone" : "gone by"} ${clock(between(from, end.at))}`;
}

/** A time in which a budget holds a pod. */
interface HeldSpan {
  readonly budget: string;
  readonly span: TimelineSpan;
}

function heldSpans(
  pod: string,
  begins: Instant,
  happenings: readonly Happening[],
): readonly HeldSpan[] {
  const freed = ofKind(happenings, "pods-freed").filter(({ pods }) => pods.includes(pod));
  const spans = ofKind(happenings, "pods-held")
    .filter(({ pods, at }) => pods.includes(pod) && at < begins)
    .map((entry): HeldSpan => {
      const until = freed.map(({ at }) => at).filter((at) => at >= entry.at);
      const to = earliest(begins, ...until);
      const span = { kind: "held", from: entry.at, to, reason: heldWords(entry) } as const;
      return { budget: entry.budget, span };
    });
  // Each pass has an entry for what is held.
  return spans.filter(
    ({ span }, index) => index === 0 || span.from >= (spans[index - 1]?.span.to ?? span.from),
  );
}

const heldWords = ({ budget, healthy, desired, allowed }: HappeningOf<"pods-held">): string =>
  `held by ${budget}, ${healthy} healthy of ${desired} desired, ${allowed} allowed`;

/** Why a pod that no budget holds is still on the node: the last refusal of the API server. */
function waitWords(pod: string, happenings: readonly Happening[]): string {
  const refused = ofKind(happenings, "pod-refused").findLast((entry) => entry.pod === pod);
  const why = refused === undefined ? whyLeft(pod, happenings) : refusalWords(refused);
  return why === "" ? "on the node" : `on the node: ${why}`;
}

const endingWords = (asked: readonly Removal[]): string =>
  asked.map((entry) => `${askedWords(entry)}, grace ${entry.graceSeconds} s`).join("; ");

const askedWords = (entry: Removal): string =>
  entry.kind === "pod-deleted" && entry.past !== ""
    ? `deleted past ${entry.past}`
    : entry.kind.slice("pod-".length);

function stateOf({
  end,
  asked,
  held,
  to,
}: {
  readonly end: PodEnd;
  readonly asked: number;
  readonly held: readonly HeldSpan[];
  readonly to: Instant;
}): RowState {
  if (end.kind !== "there") return "gone";
  if (asked > 0) return "ending";
  return held.some(({ span }) => span.to >= to) ? "held" : "waiting";
}
