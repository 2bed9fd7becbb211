import { setTimeout } from "node:timers/promises";
import { CoreV1Api } from "@kubernetes/client-node";
import { expect, vi } from "vitest";
import { main } from "../../cli/main.ts";
import type { UpgradePlan } from "../../cli/upgrade/upgrade-schema.ts";
import { minutes, seconds } from "../../lambda/base/time.ts";
import type { OptionWords } from "../../lambda/upgrade/options.ts";
import { type Group, groupDefaults } from "../../sandbox/aws/group.ts";
import { instanceIn } from "../../sandbox/cloud-controller.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { capturedIo } from "../cli/captured-io.ts";
import type { RealWorld } from "./real-world.ts";
import { signIn } from "./sign-in.ts";

/** The role of the instances of an upgraded group. */
export const nodeRole = "eks-demo-node";

/** Has a group launch instances by itself, whose role nobody knows yet, by the first version of a template that has two. */
export function prepareUpgrade({ aws, topicArn }: RealWorld, group: string): Group {
  const { iam, autoScaling } = aws;
  const { register, templates } = autoScaling;
  const role = iam.createRole({ name: nodeRole, path: "/" });
  const { arn: profileArn } = iam.createInstanceProfile({ name: nodeRole, path: "/" }, [role]);
  const template = { ...groupDefaults.template, id: "lt-00000000000000017", profileArn };
  templates.adopt(template);
  const second = { imageId: "ami-00000000000000002", instanceType: undefined, description: "" };
  templates.make({ LaunchTemplateId: template.id }, { ...second, source: "1", token: "second" });
  for (const one of register.instancesOf(group)) register.putInstance({ ...one, template });
  const found = register.findGroup(group);
  const { length: desired } = register.instancesOf(group);
  register.put({
    ...found,
    template,
    min: 3,
    max: desired + 1,
    desired,
    launches: "by-itself",
    shutdown: seconds(1),
  });
  autoScaling.putHook(group, {
    name: "Launch-LC-Hook",
    transition: "autoscaling:EC2_INSTANCE_LAUNCHING",
    heartbeat: minutes(30),
    defaultResult: "ABANDON",
    targetArn: topicArn,
  });
  return register.findGroup(group);
}

/** Sends the message that starts the upgrade of a group, to the second version unless it names another. */
export function startUpgrade(
  { aws, upgradesArn }: RealWorld,
  upgrade: {
    readonly id: string;
    readonly group: string;
    readonly options: OptionWords;
    readonly version?: string;
  },
): void {
  const { version = "2", ...rest } = upgrade;
  const message = JSON.stringify({
    upgrade: "start",
    to: { kind: "version", version },
    ...rest,
  });
  aws.sns.publish(upgradesArn, { subject: "", message });
}

/** What `upgrade --dry-run` says of the same upgrade before. */
export async function planOf(
  world: RealWorld,
  group: string,
  options: Readonly<Record<string, string>>,
): Promise<UpgradePlan> {
  signIn(world);
  const words = Object.entries(options).flatMap(([name, word]) => [`--${name}`, word]);
  const target = ["--launch-template-version", "2", "--dry-run", "--json"];
  const place = ["--cluster", demoNode.clusterName, "--kubeconfig", world.controlPlane.kubeconfig];
  const io = capturedIo();
  try {
    expect(await main(["upgrade", group, ...target, ...words, ...place], io), io.err()).toBe(0);
  } finally {
    vi.unstubAllEnvs();
  }
  return JSON.parse(io.out()) as UpgradePlan;
}

/**
 * Plays what lies between EC2 and the cluster: a launched instance joins with a kubelet as soon as aws-auth has its role (or as
 * soon as it is let in for another reason), the kubelet of one that ends falls silent, and the node of a terminated one is removed. One that ends before it has joined never joins. Returns whether one had to wait for its role.
 */
export function joinAndLeave(
  { aws, controlPlane }: RealWorld,
  isLetIn: (core: CoreV1Api) => Promise<boolean> = isRegistered,
): { waited: boolean } {
  const core = controlPlane.api(CoreV1Api);
  const seen = { waited: false };
  const started = new Set<string>();
  const ended = new Set<string>();
  // One after the other: the serial numbers of the kubelets' certificates are in one file, and a node that still joins
  // can leave only once it is there.
  let turn = Promise.resolve();
  const join = async (id: string) => {
    while (!ended.has(id) && !(await isLetIn(core))) {
      seen.waited = true;
      await setTimeout(100);
    }
    if (ended.has(id)) return;
    const { privateDnsName: name, zone } = aws.ec2.find(id);
    await controlPlane.nodeUp({ name, instanceId: id, zone });
  };
  const nodeOf = async (id: string): Promise<string> => {
    const { items } = await core.listNode();
    const node = items.find(({ spec }) => instanceIn(spec?.providerID) === id);
    return node?.metadata?.name ?? "";
  };
  aws.autoScaling.onChange(({ id, state }) => {
    if (state !== "Pending" || started.has(id)) return;
    started.add(id);
    turn = turn.then(() => join(id));
  });
  const leave = async (id: string, state: "shutting-down" | "terminated") => {
    const name = await nodeOf(id);
    if (name === "") return;
    if (state === "shutting-down") await controlPlane.pauseKubelet(name);
    else await core.deleteNode({ name });
  };
  aws.ec2.onStateChange(({ id, state }) => {
    if (state !== "shutting-down" && state !== "terminated") return;
    ended.add(id);
    turn = turn.then(() => leave(id, state));
  });
  return seen;
}

async function isRegistered(core: CoreV1Api): Promise<boolean> {
  const place = { name: "aws-auth", namespace: "kube-system" };
  const { data } = await core.readNamespacedConfigMap(place);
  const { mapRoles = "" } = data ?? {};
  return mapRoles.includes(`role/${nodeRole}`);
}
