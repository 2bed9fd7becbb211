import { later, minutes } from "../base/time.ts";
import {
  adopt,
  endOne,
  endUpgrade,
  enter,
  failUpgrade,
  resize,
  tellHeld,
  terminate,
  waitUntil,
} from "./group-steps.flow.ts";
import { issueText } from "./issues.ts";
import { launchBy } from "./launch-by.flow.ts";
import { begin, confirm, count, drain, watchSoak, write } from "./node-steps.flow.ts";
import type { StepOf, UpgradeScene, UpgradeStep } from "./scene.ts";
import { refreshIssue } from "./setup.ts";
import { soaked } from "./soak.ts";
import { type Acted, bookmarkProgress, done, type UpgradeTools } from "./upgrade-tools.flow.ts";
import { wait } from "./waits.ts";

// These steps log what holds the upgrade, or why it fails, themselves.
const says: readonly UpgradeStep["kind"][] = ["begin", "end-one", "fail", "wait"];

// Auto Scaling replaces instances itself then. What is under way still ends, and what is put back goes on.
const begins: readonly UpgradeStep["kind"][] = ["begin", "end-one", "launch-by", "resize"];

const refreshLookedAt = minutes(1);

/** Waits for the end of an instance refresh that somebody has started midway; `undefined` if there is none. */
async function tryAwaitRefresh(
  { kind }: UpgradeStep,
  { now, group, bookmark: { state } }: UpgradeScene,
  { ports: { groups } }: UpgradeTools,
): Promise<StepOf<"wait"> | undefined> {
  if (state !== "running" || !begins.includes(kind)) return undefined;
  if ((await groups.refresh(group.name)) === "none") return undefined;
  const until = later(now, refreshLookedAt);
  return wait(issueText(refreshIssue(group)), until, { since: "restarts", shownIn: "in the tags" });
}

export async function act(
  step: UpgradeStep,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const refreshed = await tryAwaitRefresh(step, scene, tools);
  if (refreshed !== undefined) return waitUntil(refreshed, scene, tools);
  if (!says.includes(step.kind)) await tellHeld("", scene.bookmark, tools);
  switch (step.kind) {
    case "launch-by":
      return launchBy(step, scene, tools);
    case "enter":
      return enter(step, scene, tools);
    case "launch-as-before": {
      const { launchAsBefore } = await import("./as-before.flow.ts");
      return launchAsBefore(step, scene, tools);
    }
    case "resize":
      return resize(step, scene, tools);
    case "adopt":
      return adopt(step, scene, tools);
    case "confirm":
      return confirm(step, scene, tools);
    case "drain":
      return drain(step, scene, tools);
    case "terminate":
      return terminate(step, scene, tools);
    case "end-one":
      return endOne(step, scene, tools);
    case "fail":
      return failUpgrade(step, scene, tools);
    case "end":
      return endUpgrade(step, scene, tools);
    case "pause":
      return done({ kind: "paused" });
    case "wait":
      return waitUntil(step, scene, tools);
    case "soak":
      await bookmarkProgress(scene.bookmark, soaked(step.soak, scene), tools);
      return "go on";
    case "watch":
      return watchSoak(step, scene, tools);
    case "begin":
      return begin(step, scene, tools);
    case "count":
      return count(step, scene, tools);
    case "admit":
    case "cordon":
    case "open":
    case "reopen":
    case "restore":
    case "set-aside":
    case "uncordon":
      return write(step, scene, tools);
  }
}
