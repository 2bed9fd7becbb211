import { type Duration, later, milliseconds, seconds } from "../../lambda/base/time.ts";
import { type Fleet, isActive } from "../../lambda/group/fleet.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { CommandFailure, StoppedCommand } from "../command-failure.ts";
import { pause } from "../pause.ts";
import { makeProbe, type ProbeWish, replicas, tryRequest } from "./probe.ts";
import { isCounted } from "./promises.ts";
import { leaveTrace, type TraceSite } from "./traces.ts";
import { gone, type Measure, type Trial } from "./trial.ts";
import type { Watcher } from "./watcher.ts";

/** Where a trial takes place, and who hears of it. */
export interface TrialSite extends TraceSite {
  readonly watcher: Watcher;
  readonly stopped: AbortSignal;
  say(words: string): void;
}

/** What a trial is made with. */
export interface TrialWish extends ProbeWish {
  /** How long it waits for each: for the launch, for the probe, and for the end of the instance. */
  readonly patience: Duration;
}

const look = milliseconds(500);
const second = seconds(1);

/** How a group is measured. */
export const measureOf = ({ sizes, instances }: Fleet): Measure => ({
  ...sizes,
  inService: instances.filter(({ state }) => state === "InService").length,
});

/** Takes an instance through its life, as far as it comes. */
export async function runTrial(fleet: Fleet, wish: TrialWish, site: TrialSite): Promise<Trial> {
  const { watcher, say } = site;
  const trial: Trial = {
    sights: watcher.sights,
    before: measureOf(fleet),
    raised: systemClock.now(),
    claim: wish.storageClass === "" ? "without a claim" : "with a claim",
  };
  say(`${fleet.name}: one instance more`);
  await raise(fleet, site);
  if ((await launched(fleet, trial, { wish, site })) === "late") return trial;
  if ((await probed(trial, { wish, site })) === "late") return trial;
  await ended(trial, { wish, site });
  return trial;
}

interface Ground {
  readonly wish: TrialWish;
  readonly site: TrialSite;
}

/** The trace comes first, so that whoever finds the group can undo what follows. */
async function raise({ sizes }: Fleet, site: TrialSite): Promise<void> {
  const { desired, max } = sizes;
  await leaveTrace(site, { sizes, instance: "unknown" });
  const more = desired + 1;
  await site.fleets.resize(
    site.group,
    more > max ? { desired: more, max: more } : { desired: more },
  );
}

async function launched(
  before: Fleet,
  trial: Trial,
  { wish, site }: Ground,
): Promise<"late" | "there"> {
  const { watcher, say } = site;
  const known = new Set(before.instances.map(({ id }) => id));
  const member = await until(site, wish.patience, ({ instances }) =>
    instances.find((one) => !known.has(one.id) && isActive(one)),
  );
  if (member === "late") return "late";
  const { id: instance } = member;
  await leaveTrace(site, { sizes: before.sizes, instance });
  trial.instance = instance;
  watcher.attend(trial);
  say(`${instance}: launched, and awaited as a node`);
  const serving = await until(site, wish.patience, () => {
    const state = stateIn(trial);
    return state === "InService" || isOver(state) ? state : undefined;
  });
  const node = watcher.node();
  if (serving !== "InService" || node === undefined) return "late";
  trial.node = node.name;
  return "there";
}

const stateIn = ({ sights }: Trial): string =>
  sights.findLast((one) => one.kind === "state")?.state ?? "";

const isOver = (state: string): boolean => state === gone || state.startsWith("Terminat");

async function probed(trial: Trial, { wish, site }: Ground): Promise<"late" | "there"> {
  const { client, watcher, say } = site;
  const node = watcher.node();
  if (node === undefined) return "late";
  say(`${node.name}: Ready, and gets the probe`);
  await makeProbe(client, node, wish);
  const wanted = replicas + (wish.storageClass === "" ? 0 : 1);
  const ready = await until(site, wish.patience, () => {
    const pods = watcher.pods();
    return pods.length === wanted && pods.every((pod) => pod.ready) ? pods : undefined;
  });
  if (ready === "late") throw notReady;
  if (!ready.some((pod) => isCounted(pod) && pod.node === node.name)) throw elsewhere(node.name);
  const answers = await until(site, second, async () =>
    (await tryRequest(client)) === "" ? "answered" : undefined,
  );
  if (answers === "late") throw unheard(await tryRequest(client));
  trial.probed = systemClock.now();
  return "there";
}

const notReady = new CommandFailure(
  "the pods of the probe did not become ready in time",
  "see that the nodes can pull its image (--image), that policies let it run, and that the storage class exists",
);

const elsewhere = (node: string): CommandFailure =>
  new CommandFailure(
    `no pod of the probe runs on the new node ${node}, so that its end would show nothing`,
    "see what keeps pods off the node: it must run Linux and have room",
  );

const unheard = (why: string): CommandFailure =>
  new CommandFailure(
    `the API server does not reach the probe through its Service: ${why}`,
    "allow the cluster's security group port 8080 of the nodes, and yourself to get services/proxy",
  );

async function ended(trial: Trial, { wish, site }: Ground): Promise<void> {
  const { fleets, watcher, client, say, group } = site;
  if (trial.instance === undefined) return;
  const asking = setInterval(
    () => void tryRequest(client).then((said) => watcher.asked(said)),
    second,
  );
  try {
    await pause(seconds(3), site.stopped);
    assertGoesOn(site);
    say(`${trial.instance}: Auto Scaling ends it, and the size is as before`);
    trial.ended = systemClock.now();
    await fleets.terminate(trial.instance, "shrinks");
    await leaveTrace(site, { sizes: trial.before, instance: "ended" });
    await until(site, wish.patience, () =>
      stateIn(trial) === gone && watcher.pods().filter(isCounted).length === replicas
        ? "over"
        : undefined,
    );
  } finally {
    clearInterval(asking);
  }
  const after = await fleets.fleet(group);
  // A maximum that was raised for the trial is taken back with its other traces.
  if (after !== "absent") trial.after = { ...measureOf(after), max: restored(after, trial) };
}

const restored = ({ sizes: { max } }: Fleet, { before }: Trial): number =>
  max === before.max + 1 && before.desired === before.max ? before.max : max;

/** Looks at the group again and again until something has come about, also once after somebody has stopped it. */
async function until<T>(
  site: TrialSite,
  patience: Duration,
  find: (fleet: Fleet) => T | undefined | Promise<T | undefined>,
): Promise<T | "late"> {
  const { fleets, group, watcher } = site;
  const end = later(systemClock.now(), patience);
  for (;;) {
    const fleet = await fleets.fleet(group);
    if (fleet === "absent")
      throw new CommandFailure(`group ${group} is gone`, "name another group");
    watcher.see(fleet);
    const found = await find(fleet);
    if (found !== undefined) return found;
    assertGoesOn(site);
    if (systemClock.now() >= end) return "late";
    await pause(look, site.stopped);
  }
}

function assertGoesOn({ stopped }: Pick<TrialSite, "stopped">): void {
  if (stopped.aborted)
    throw new StoppedCommand(
      "stopped before the trial was over",
      "repeat the command for another trial",
    );
}
