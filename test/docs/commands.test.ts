import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { main } from "../../cli/main.ts";
import { eksToken } from "../../lambda/aws/eks-token.ts";
import { hours, type Instant, later, milliseconds } from "../../lambda/base/time.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { usualOptions } from "../../lambda/upgrade/options.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { terminateAction } from "../../sandbox/scenarios/demo-action.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { aSite, type Site } from "../cli/connect/a-site.ts";
import { drainLog, namesOf } from "../cli/timeline/drain-log.ts";
import { aSiteWithUpgrades, tag, underWay } from "../cli/upgrade/a-site-with-upgrades.ts";
import { awsGaps } from "./aws-gaps.ts";
import { documentedCommands, ownArguments, shownCommands } from "./documented-commands.ts";
import { unrunCommands } from "./unrun-commands.ts";

const commands = documentedCommands();
const ownCommands = new Map(
  commands.map(ownArguments).map((words) => [words.join(" "), words] as const),
);
ownCommands.delete("");
const ofAws = commands.filter(({ words: [program] }) => program === "aws");

const { clusterName, names } = demoNode;
const { group, instance } = terminateAction;
const neighbour = "ip-192-168-43-17.eu-west-1.compute.internal";
const sample = "events/demo-ng-terminate.json";
const event = join(process.cwd(), sample);

async function kubeconfigAt(site: Site): Promise<string> {
  const region = "eu-west-1";
  const credentials = async () => site.key;
  const now = systemClock.now;
  return site.kubeconfig({ token: await eksToken({ clusterName, region, credentials, now }) });
}

/** The account has the log of a drain of the instance that the pages name, and its nodes are of a node group. */
function furnish(site: Site): void {
  const from = later(site.aws.timeline.now(), milliseconds(-hours(1)));
  const lines = drainLog({ number: 7, from, pod: "shop/web-1", end: "drained" });
  for (const line of lines) {
    const { at = "" } = JSON.parse(line) as { readonly at?: string };
    const told = line.replaceAll(namesOf({ number: 7 }).instance, instance);
    site.aws.logs.write(`/aws/lambda/${names.function}`, told, Date.parse(at) as Instant);
  }
  site.cluster.store.update({ resource: nodes, name: neighbour }, ({ metadata, ...node }) => {
    const labels = { ...metadata.labels, "eks.amazonaws.com/nodegroup": "workers" };
    return { ...node, metadata: { ...metadata, labels } };
  });
}

/** A folder with the file of a cluster where `manifests` looks for it, and without one where `discover` or `init` writes it. */
function aFolder(command: string): string {
  const folder = mkdtempSync(join(tmpdir(), "documented-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  if (command === "discover" || command === "init") return folder;
  mkdirSync(join(folder, "clusters"));
  const sample = readFileSync("clusters/sample.json", "utf8");
  const file = sample.replace('"sample"', JSON.stringify(clusterName));
  writeFileSync(join(folder, "clusters", `${clusterName}.json`), file);
  return folder;
}

/** Runs a command of the pages, and interrupts it as soon as it has written something if it would go on for ever. */
async function outcomeOf(args: readonly string[], env: Readonly<Record<string, string>>) {
  const io = capturedIo({ cwd: aFolder(args[0] ?? ""), env });
  const ended = main(args, io);
  if (args.includes("--watch") || args.includes("--follow")) {
    await expect.poll(() => io.out()).not.toBe("");
    io.interrupt();
  }
  return { code: await ended, told: io.err() };
}

const done = { code: 0, told: expect.any(String) };

// The site has the parts of a deployment that commands work on, and not the stack that the doctor examines: it says so.
// An upgrade that somebody no longer follows is not done. An instance of the group ends there, so that no trial is made.
const endAtSite = (words: readonly string[]) =>
  words[0] === "verify" && !words.includes("--clean-up")
    ? { ...done, code: 1 }
    : words[0] === "doctor" || words.includes("--follow")
      ? { ...done, code: 3 }
      : done;

/** The tags of an upgrade that keeps its old nodes. */
const kept = underWay({ options: { ...usualOptions, keepOld: hours(1) }, phase: "keep" });

/** Runs a command in a sandbox, with names of the sandbox in the place of words in capital letters. */
async function runAtSite(words: readonly string[]) {
  const site = await (words[0] === "upgrade" ? aSiteWithUpgrades({}) : aSite());
  furnish(site);
  if (["abort", "pause", "resume", "status"].includes(words[1] ?? "")) tag(site, underWay());
  if (words[1] === "rollback") tag(site, kept);
  const env = { ...site.env, KUBECONFIG: await kubeconfigAt(site) };
  vi.stubEnv("KUBECONFIG", env.KUBECONFIG);
  const meant = new Map([
    ["$(output QueueUrl)", site.aws.sqs.urlOf(names.queue, new URL(site.url).host)],
    ["~/.kube/config", env.KUBECONFIG],
    ["FILE", env.KUBECONFIG],
    ["EVENT", event],
    ["GROUP", group],
    ["NAME", clusterName],
    ["INSTANCE", instance],
    ["NODE", neighbour],
    ["ZONE", "eu-west-1b"],
    ["NODEGROUP", "workers"],
  ]);
  // Somebody has drained the node before it is opened again.
  if (words.includes("--undo")) await outcomeOf(["drain", neighbour, "--settle", "0s"], env);
  return outcomeOf(
    words.map((word) => meant.get(word) ?? word),
    env,
  );
}

describe("a command of the pages", () => {
  const replays = [...ownCommands.values()].filter((words) => words[1] === sample);
  const atSite = [...ownCommands].filter(([, words]) => words[1] !== sample);

  it.each(atSite)("does its work in the sandbox: %s", async (_, words) => {
    expect(await runAtSite(words)).toEqual(endAtSite(words));
  });

  it("replays a saved event", async () => {
    expect(replays.length).toBeGreaterThan(1);
    const ends = replays.map((words) => outcomeOf(words.with(1, event), {}));

    expect(await Promise.all(ends)).toEqual(replays.map(() => done));
  });

  it.each(ofAws)("has an operation and options of AWS: $text", ({ words }) => {
    expect(awsGaps(words)).toEqual([]);
  });

  it("is run or judged by a test, or is in the list of those that are not", () => {
    const judged = [...ofAws, ...commands.filter(({ words: [program] }) => program === "kubectl")];
    const missed = commands.filter(
      (command) => ownArguments(command).length === 0 && !judged.includes(command),
    );

    expect(missed.map(({ path, text }) => `${path}: ${text}`)).toEqual([]);
  });

  it("is in that list only if a page shows it", () => {
    const shown = shownCommands().map(({ text }) => text);
    const isShown = (start: string) => shown.some((text) => text.startsWith(start));

    expect(Object.keys(unrunCommands).filter((start) => !isShown(start))).toEqual([]);
  });
});
