import { expect, onTestFinished } from "vitest";
import type { PromiseFound } from "../../../cli/json/verify-schema.ts";
import { main } from "../../../cli/main.ts";
import { functionFolder } from "../../../cli/replay/deploy-demo.ts";
import { type Duration, minutes, seconds } from "../../../lambda/base/time.ts";
import { namespaces, nodes, pods } from "../../../sandbox/kubernetes/core-resources.ts";
import { podReady } from "../../../sandbox/kubernetes/pod.ts";
import { attachmentName } from "../../../sandbox/kubernetes/volume-drafts.ts";
import { bundleIn } from "../../../sandbox/lambda/lambda-service.ts";
import type { World } from "../../../sandbox/scenario.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { demoNgUpgrade } from "../../../sandbox/scenarios/demo-ng-upgrade.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite, type Site } from "../connect/a-site.ts";
import { jsonLines } from "../json-lines-schema.ts";

/** The group that gets an instance more. */
export const { group, hook } = terminateAction;
export const launchHook = "Launch-LC-Hook";
const { clusterName } = demoNode;
/** The namespace of the probe. */
export const namespace = "eks-node-lifecycle-verify";

/** A group of six whose instances join by themselves, and the function that drains and registers them. */
export async function aGroup(
  settings: Readonly<Record<string, string>> = {},
  boot?: Duration,
): Promise<Site> {
  const demo = demoNgUpgrade(boot);
  const populate = (world: World): void => {
    demo.populate(world);
    const transition = "autoscaling:EC2_INSTANCE_TERMINATING";
    world.aws.autoScaling.putHook(group, { name: hook, transition, heartbeat: minutes(30) });
  };
  const site = await aSite({
    code: bundleIn(await functionFolder("node")),
    launch: { scenario: { ...demo, populate }, action: terminateAction },
    settings: { DRAIN_SETTLE_SECONDS: "1", ...settings },
  });
  site.aws.autoScaling.putHook(group, {
    name: launchHook,
    transition: "autoscaling:EC2_INSTANCE_LAUNCHING",
    heartbeat: minutes(30),
    targetArn: site.deployment.topic(demoNode.names.topic).arn,
  });
  return site;
}

/** Starts the command. */
export function verify(...args: readonly string[]) {
  const io = capturedIo();
  const words = ["verify", clusterName, "--group", group, "--patience", "60s", ...args];
  return { io, code: main(words, io) };
}

/** Runs a trial to its end, and returns what became of each promise. */
export async function told(code: number, ...args: readonly string[]) {
  const { io, code: ended } = verify("--yes", "--json", ...args);
  expect(await ended, io.err() + io.out()).toBe(code);
  const [line] = jsonLines(io).filter(({ kind }) => kind === "verify");
  const { promises = [] } = (line ?? {}) as { readonly promises?: readonly PromiseFound[] };
  return {
    io,
    line,
    promises,
    states: Object.fromEntries(promises.map((one) => [one.promise, one.state])),
  };
}

/** What a promise was found to be, of all that were told. */
export const foundOf = (promises: readonly PromiseFound[], name: string): string =>
  promises.find(({ promise }) => promise === name)?.found ?? "";

/** Acts once on the world, as soon as it is so. */
export function once(isSo: () => boolean, act: () => void): void {
  const timer = setInterval(() => {
    if (!isSo()) return;
    clearInterval(timer);
    act();
  }, 20);
  onTestFinished(() => clearInterval(timer));
}

/** The group as it is now. */
export const groupNow = ({ aws }: Site) => aws.autoScaling.register.findGroup(group);

/** The instances of the group, with their states. */
export const membersOf = ({ aws }: Site) =>
  aws.autoScaling.register.instances().filter((one) => one.group === group);

/** The instance that a trial has ended, once its group ends it. */
export const endingMember = (site: Site) =>
  membersOf(site).find(({ state }) => state.startsWith("Terminating"));

/** The pods of the probe. */
export const probeOf = ({ cluster }: Site) => cluster.store.list(pods, namespace);

/** Whether a trial has got so far that its instance is about to be ended. */
export const isProbed = (site: Site): boolean =>
  probeOf(site).length >= 2 && probeOf(site).every(podReady);

/** Everything that a trial changes: the tags and the sizes of the group, its instances, its namespace, and marks of nodes. */
export const tracesIn = (site: Site) => {
  const { tags, min, max, desired } = groupNow(site);
  return {
    tags: tags.map(({ key }) => key),
    sizes: [min, desired, max],
    members: membersOf(site).filter(({ state }) => !state.startsWith("Terminat")).length,
    namespace: site.cluster.store.tryGet({ resource: namespaces, name: namespace }) !== undefined,
    cordoned: site.cluster.store.list(nodes).filter(({ spec }) => spec.unschedulable).length,
  };
};

/** Acts on the instance of the trial at the moment in which its group says this of it. */
export function atState(site: Site, state: string, act: (id: string) => void): void {
  let acted = false;
  site.aws.autoScaling.onChange((one) => {
    if (acted || one.group !== group || one.state !== state) return;
    acted = true;
    act(one.id);
  });
}

/** The node of an instance. */
export const nodeOfInstance = ({ cluster }: Site, id: string) =>
  cluster.store.list(nodes).find(({ spec }) => spec.providerID?.endsWith(`/${id}`));

/** Tells a pod to end, as a deletion does that asks no budget. */
export function tellToEnd({ cluster }: Site, name: string): void {
  cluster.store.update({ resource: pods, namespace, name }, (pod) => ({
    ...pod,
    metadata: {
      ...pod.metadata,
      deletionTimestamp: new Date(Date.now() + 30_000).toISOString(),
      deletionGracePeriodSeconds: 30,
    },
  }));
}

/** Cordons a node, as somebody else does. */
export function cordon({ cluster }: Site, name: string): void {
  cluster.store.update({ resource: nodes, name }, (node) => ({
    ...node,
    spec: { ...node.spec, unschedulable: true },
  }));
}

/** Attaches the volume of the probe where its pod runs, and detaches it when the pod has gone, unless it is stuck. */
export function provision(site: Site, detaches: "detaches" | "sticks"): void {
  const volume = "pv-disk";
  const nodeOfDisk = () =>
    probeOf(site).find(
      ({ metadata: { name }, status }) => name.startsWith("disk-") && status.phase === "Running",
    )?.spec.nodeName;
  once(
    () => nodeOfDisk() !== undefined,
    () => {
      const node = nodeOfDisk() ?? "";
      site.cluster.addVolumeAttachment({ node, volume });
      if (detaches === "detaches")
        once(
          () => nodeOfDisk() !== node,
          () => site.cluster.detachVolume(attachmentName(volume, node)),
        );
    },
  );
}

/** The role that the fault injection service assumes, and the words that have it interrupt. */
export const role = "arn:aws:iam::123456789012:role/fis";
export const spot = ["--spot", "--fis-role", role];

/** A group of Spot Instances, and how long a minute of the fault injection service takes. */
export async function aSpotGroup({ service = "fis", minute = seconds(10) } = {}): Promise<Site> {
  const site = await aGroup();
  const { autoScaling, ec2, fis, iam, account, sns } = site.aws;
  autoScaling.register.put({ ...groupNow(site), lifecycle: "spot" });
  for (const { id } of membersOf(site)) ec2.run({ ...ec2.find(id), lifecycle: "spot" });
  iam.createRole({ name: "fis", path: "/", service });
  fis.minute = minute;
  const { arn } = site.deployment.topic(demoNode.names.topic);
  fis.onEvent((event) => {
    const time = new Date().toISOString();
    const common = { version: "0", id: "1e5527d7-bb36-4607-3370-4164db56a40e", time };
    const from = { source: "aws.ec2", account: account.id, region: account.region, resources: [] };
    sns.publish(arn, { subject: "", message: JSON.stringify({ ...common, ...from, ...event }) });
  });
  return site;
}

/** The instances of the group. */
export const idsOf = (site: Site) => membersOf(site).map(({ id }) => id);

/** Those that are in service. */
export const inServiceOf = (site: Site) =>
  membersOf(site).flatMap(({ id, state }) => (state === "InService" ? [id] : []));

/** Nothing is left but what was there, and no instance was ended that was. */
export function assertNothingLeft(
  site: Site,
  before: ReturnType<typeof tracesIn>,
  own: readonly string[],
) {
  const { cordoned: _cordoned, ...after } = tracesIn(site);
  expect(before).toMatchObject(after);
  expect(site.aws.fis.templates()).toEqual([]);
  expect(inServiceOf(site)).toEqual(own);
}
