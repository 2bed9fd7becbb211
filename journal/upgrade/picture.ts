import { between, never } from "../../lambda/base/time.ts";
import { ofKind } from "../happening.ts";
import type { Picture } from "../picture.ts";
import { clock } from "../timeline.ts";
import { upgradeRows } from "./rows.ts";
import type { UpgradeStory } from "./story.ts";
import { upgradeLines } from "./upgrade-lines.ts";

export const upgradePicture = (story: UpgradeStory): Picture => ({
  instance: "",
  node: "",
  group: story.group,
  deadline: never,
  state: stateOf(story),
  words: wordsOf(story),
  from: story.from,
  to: story.to,
  rows: upgradeRows(story),
});

function stateOf({ end }: UpgradeStory): Picture["state"] {
  if (end.kind === "refused") return "not done";
  if (end.kind !== "ended") return "under way";
  const states = { done: "done", failed: "not done" } as const;
  return end.outcome === "done" || end.outcome === "failed" ? states[end.outcome] : "careful";
}

function wordsOf({ id, end, from, to, happenings }: UpgradeStory): string {
  const took = clock(between(from, to));
  if (end.kind === "unfinished") {
    const phase = ofKind(happenings, "upgrade-phase").at(-1)?.phase ?? "set-up";
    return `upgrade ${id}: under way for ${took}, in its phase ${phase}`;
  }
  const lines = upgradeLines({ kind: "upgrade-answered", upgrade: id, command: "start", end });
  const words = lines.map(({ verb, detail }) => `${verb}, ${detail}`).join("; ");
  const why = ofKind(happenings, "upgrade-failing").map(({ code }) => ` (${code})`)[0] ?? "";
  return `upgrade ${id}: ${words}${why}; after ${took}`;
}
