import { minutes } from "../../lambda/base/time.ts";
import type { Aws } from "../aws/aws.ts";
import { journeys } from "../aws/lifecycle.ts";
import { type DemoAction, holdInstance } from "./demo-action.ts";

/** An instance of the demo group. */
export interface DemoInstance {
  readonly id: string;
  readonly ip: string;
  readonly zone: string;
}

/** The instances of the demo group: one that leaves, and two that stay. */
export interface DemoInstances {
  readonly leaving: DemoInstance;
  readonly neighbour: DemoInstance;
  readonly farther: DemoInstance;
}

/** The instances of the demo group in a Region, of which the one with this id leaves. */
export const instancesIn = (region: string, id: string): DemoInstances => ({
  leaving: { id, ip: "192.168.18.230", zone: `${region}a` },
  neighbour: { id: "i-0a4c1f92d6b83e570", ip: "192.168.43.17", zone: `${region}b` },
  farther: { id: "i-0f6d20b7c19e8a345", ip: "192.168.77.142", zone: `${region}c` },
});

/** The name of an instance's node. */
export const nodeOf = ({ ip, zone }: DemoInstance): string =>
  `ip-${ip.replaceAll(".", "-")}.${zone.slice(0, -1)}.compute.internal`;

/** The role of the demo group's instances. */
export const nodeRole = "eks-demo-node";

/** Creates the group of an action, its instances and its hook, and lets the hook hold one of them. */
export function populateGroup(
  aws: Aws,
  action: DemoAction,
  { running, moving }: { readonly running: readonly DemoInstance[]; readonly moving: DemoInstance },
): void {
  const { iam, ec2, autoScaling } = aws;
  const { group, journey, hook } = action;
  const { transition, origin, destination } = journeys[journey];
  const role = iam.createRole({ name: nodeRole, path: "/" });
  const profile = iam.createInstanceProfile({ name: nodeRole, path: "/" }, [role]);
  const zones = [...running, moving].map(({ zone }) => zone);
  const warm = origin === "WarmPool" || destination === "WarmPool";
  const warmPool = { kind: "pool", state: "Stopped", onScaleIn: "reuse" } as const;
  autoScaling.createGroup({ name: group, zones, ...(warm ? { warmPool } : {}) });
  for (const { id, ip, zone } of [...running, moving])
    ec2.run({ id, zone, privateIp: ip, profileArn: profile.arn });
  for (const { id, zone } of running) autoScaling.attach({ id, zone, group });
  const { id, zone } = moving;
  if (origin === "AutoScalingGroup") autoScaling.attach({ id, zone, group });
  if (origin === "WarmPool") autoScaling.attach({ id, zone, group, state: "Warmed:Stopped" });
  const launches = transition === "autoscaling:EC2_INSTANCE_LAUNCHING";
  autoScaling.putHook(group, {
    name: hook,
    transition,
    heartbeat: minutes(30),
    defaultResult: launches ? "ABANDON" : "CONTINUE",
  });
  autoScaling.setDesired(group, running.length + (launches ? 1 : 0));
  holdInstance(aws, action, zone);
}
