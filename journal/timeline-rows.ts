import { between, earliest, type Instant } from "../lambda/base/time.ts";
import { type Happening, type HappeningOf, ofKind } from "./happening.ts";
import { podRows } from "./pod-row.ts";
import { wordsOf } from "./progress-line.ts";
import {
  clock,
  passNote,
  shortName,
  type TimelineMark,
  type TimelineRow,
  type TimelineSpan,
  type TimelineStory,
} from "./timeline.ts";

/** The rows of a drain: the node's mark, every pod that had to leave, volumes, load balancers, the hook and the passes. */
export const timelineRows = (story: TimelineStory): readonly TimelineRow[] => [
  ...nodeRows(story),
  ...podRows(story),
  ...roomRows(story),
  ...volumeRows(story),
  ...balancerRows(story),
  ...hookRows(story),
  ...passRows(story),
];

function nodeRows({ from, happenings }: TimelineStory): readonly TimelineRow[] {
  return ofKind(happenings, "node-marked")
    .slice(0, 1)
    .map((mark) => ({
      kind: "node",
      label: shortName(mark.node),
      state: "done",
      spans: [],
      marks: [{ kind: "done", at: mark.at, reason: wordsOf(mark) }],
      note: `labelled and cordoned at ${clock(between(from, mark.at))}`,
    }));
}

/** The workloads whose replicas were raised, each from the surge to its end. */
function roomRows(story: TimelineStory): readonly TimelineRow[] {
  const all = ofKind(story.happenings, "making-room");
  const surges = all.filter(({ stage }) => stage === "surged");
  const last = all.at(-1);
  if (surges.length === 0 || last === undefined) return [];
  const spans = surges.map((surge): TimelineSpan => {
    const isEnd = (one: (typeof all)[number]) =>
      one.workload === surge.workload && one.stage !== "surged" && one.at >= surge.at;
    const to = all.find(isEnd)?.at ?? story.to;
    return { kind: "awaited", from: surge.at, to, reason: wordsOf(surge) };
  });
  return [
    {
      kind: "room",
      label: "room elsewhere",
      state: last.stage === "surged" ? "waiting" : "done",
      spans,
      marks: [],
      note: wordsOf(last),
    },
  ];
}

function volumeRows(story: TimelineStory): readonly TimelineRow[] {
  const waits = ofKind(story.happenings, "volumes-awaited");
  const last = waits.at(-1);
  if (last === undefined) return [];
  const after = ofKind(story.happenings, "notice-done").find(({ at }) => at >= last.at);
  const spans = waits.map(({ at, volumes }, index): TimelineSpan => {
    const to = waits[index + 1]?.at ?? after?.at ?? story.to;
    return { kind: "awaited", from: at, to, reason: `still attached: ${volumes.join(", ")}` };
  });
  const count = new Set(waits.flatMap(({ volumes }) => volumes)).size;
  return [
    {
      kind: "volumes",
      label: "volumes",
      state: after === undefined ? "waiting" : "done",
      spans,
      marks: [],
      note: `${count} awaited from ${sinceIn(story, waits[0])}`,
    },
  ];
}

function balancerRows(story: TimelineStory): readonly TimelineRow[] {
  const waits = ofKind(story.happenings, "targets-awaited");
  if (waits.length === 0) return [];
  const free = ofKind(story.happenings, "targets-gone").at(-1);
  const end = free?.at ?? story.to;
  const taken = ofKind(story.happenings, "targets-deregistered");
  return [
    {
      kind: "balancers",
      label: "load balancers",
      state: free === undefined ? "waiting" : "done",
      spans: waits.map(({ at, targets }, index) => ({
        kind: "awaited",
        from: at,
        to: earliest(waits[index + 1]?.at ?? end, end),
        reason: targets.join("; "),
      })),
      marks: [...taken, ...(free === undefined ? [] : [free])].map((one) => doneMark(one)),
      note: free === undefined ? "not let go" : `let go at ${sinceIn(story, free)}`,
    },
  ];
}

function hookRows(story: TimelineStory): readonly TimelineRow[] {
  const beats = ofKind(story.happenings, "heartbeat");
  const ended = ofKind(story.happenings, "hook-completed")[0];
  const hook = beats[0]?.hook ?? ended?.action.hook;
  if (hook === undefined) return [];
  const marks = beats.map((beat): TimelineMark => ({ ...doneMark(beat), kind: "heartbeat" }));
  return [
    {
      kind: "hook",
      label: hook,
      state: ended === undefined ? "open" : "done",
      spans: [],
      marks: ended === undefined ? marks : [...marks, doneMark(ended)],
      note: ended === undefined ? "not completed" : `${ended.result} at ${sinceIn(story, ended)}`,
    },
  ];
}

type PassEnd = HappeningOf<"pass-ended" | "notice-done" | "fault">;

/** The row of the passes; none if there was one pass without a fault, which the whole timeline shows. */
function passRows(story: TimelineStory): readonly TimelineRow[] {
  const begun = ofKind(story.happenings, "pass-started");
  const faults = ofKind(story.happenings, "fault");
  if (begun.length < 2 && faults.length === 0) return [];
  const spans = begun.map((start): TimelineSpan => {
    const end = story.happenings.find((one) => one.at >= start.at && endsPass(one, start));
    const how = end === undefined ? "under way" : wordsOf(end);
    return {
      kind: "pass",
      from: start.at,
      to: end?.at ?? story.to,
      reason: `pass ${start.receives}: ${how}`,
    };
  });
  const done = ofKind(story.happenings, "notice-done").length > 0;
  return [
    {
      kind: "passes",
      label: "passes",
      state: done ? "done" : "open",
      spans,
      marks: faults.map((fault) => ({ ...doneMark(fault), kind: "fault" })),
      note: passNote(begun.length, faults.length),
    },
  ];
}

const endsPass = (one: Happening, start: HappeningOf<"pass-started">): one is PassEnd =>
  (one.kind === "pass-ended" || one.kind === "notice-done" || one.kind === "fault") &&
  one.messageId === start.messageId;

const doneMark = (happening: Happening): TimelineMark => ({
  kind: "done",
  at: happening.at,
  reason: wordsOf(happening),
});

const sinceIn = ({ from }: TimelineStory, one: { readonly at: Instant } | undefined): string =>
  clock(between(from, one?.at ?? from));
