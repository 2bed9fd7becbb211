import { between, earliest, type Instant } from "../../lambda/base/time.ts";
import { type HappeningOf, ofKind } from "../happening.ts";
import { clock, type Mark, type Row, type RowState, type Span, shortName } from "../timeline.ts";
import type { UpgradeStory } from "./story.ts";

type Deed = HappeningOf<"upgrade-nodes">;

/** A row for each old node, in the order of their turns: its drains, what held them, and its end. */
export function oldNodeRows(story: UpgradeStory): readonly Row[] {
  const told = ofKind(story.happenings, "upgrade-nodes");
  const chosen = told.flatMap(({ deed, nodes }) => (deed === "chosen" ? nodes : []));
  const waiting = told.flatMap(({ deed, nodes }) => (deed === "cordoned" ? nodes : []));
  return [...new Set([...chosen, ...waiting])].map((node) =>
    rowOf(
      node,
      told.filter(({ nodes }) => nodes.includes(node)),
      story,
    ),
  );
}

function rowOf(node: string, deeds: readonly Deed[], story: UpgradeStory): Row {
  const turns = deeds.flatMap((one, index) => turnOf(one, deeds[index + 1]?.at ?? story.to));
  return {
    ...{ kind: "old", label: shortName(node), state: states[last(deeds)] },
    spans: [...turns, ...heldSpans(node, turns, story)],
    marks: deeds.flatMap((one) => markOf(one)),
    note: noteOf(deeds, story),
  };
}

const last = (deeds: readonly Deed[]): Deed["deed"] => deeds.at(-1)?.deed ?? "cordoned";

const states: Readonly<Record<Deed["deed"], RowState>> = {
  validated: "open",
  doubted: "open",
  counted: "open",
  cordoned: "open",
  chosen: "ending",
  drained: "waiting",
  blocked: "held",
  reopened: "held",
  replaced: "gone",
  restored: "open",
};

function turnOf({ deed, at: from }: Deed, to: Instant): readonly Span[] {
  if (deed === "chosen") return [{ kind: "ending", from, to, reason: "is drained" }];
  const reason = "drained, and kept until load balancers have let it go";
  return deed === "drained" ? [{ kind: "awaited", from, to, reason }] : [];
}

/** When budgets have held pods of a node, within its turns. */
function heldSpans(
  node: string,
  turns: readonly Span[],
  { happenings }: UpgradeStory,
): readonly Span[] {
  const budgets = happenings.filter(
    (one) => (one.kind === "pods-held" || one.kind === "pods-freed") && one.node === node,
  ) as readonly HappeningOf<"pods-freed" | "pods-held">[];
  return budgets.flatMap((one, index): readonly Span[] => {
    const turn = turns.find(({ from, to }) => from <= one.at && one.at <= to);
    if (one.kind !== "pods-held" || turn === undefined) return [];
    const next = budgets.slice(index + 1).find(({ budget }) => budget === one.budget);
    const to = earliest(turn.to, next?.at ?? turn.to);
    const { healthy, desired, budget } = one;
    const health = `${healthy} healthy of ${desired} desired`;
    return [{ kind: "held", from: one.at, to, reason: `held by ${budget}, ${health}` }];
  });
}

function markOf({ deed, at, left }: Deed): readonly Mark[] {
  switch (deed) {
    case "blocked":
      return [{ kind: "fault", at, reason: `blocked: ${left.join("; ")}` }];
    case "replaced":
      return [{ kind: "done", at, reason: "its instance is terminated" }];
    case "restored":
      return [{ kind: "done", at, reason: "its marks are taken off" }];
    default:
      return [];
  }
}

function noteOf(deeds: readonly Deed[], { from }: UpgradeStory): string {
  const at = clock(between(from, deeds.at(-1)?.at ?? from));
  const left = deeds.findLast(({ deed }) => deed === "blocked")?.left ?? [];
  const words: Readonly<Record<Deed["deed"], string>> = {
    validated: "valid",
    doubted: "not valid",
    counted: "waits for its turn",
    cordoned: "waits for its turn",
    chosen: "is drained",
    drained: "drained",
    blocked: `blocked: ${left.join("; ")}`,
    reopened: `blocked: ${left.join("; ")}`,
    replaced: `replaced at ${at}`,
    restored: left.length === 0 ? "open again" : `open again; blocked: ${left.join("; ")}`,
  };
  return words[last(deeds)];
}
