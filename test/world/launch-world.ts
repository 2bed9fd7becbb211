import { seconds } from "../../lambda/base/time.ts";
import type { JourneyName } from "../../sandbox/aws/lifecycle.ts";
import { configMaps } from "../../sandbox/kubernetes/core-resources.ts";
import type { NodeOptions } from "../../sandbox/kubernetes/node.ts";
import { VirtualWorld } from "./virtual-world.ts";
import { group, type WorldOptions } from "./world-options.ts";

/** The name of the group's launch hook. */
export const launchHook = "Launch-LC-Hook";

/** The instance that is launched, its node, and the role it works under. */
export const launched = {
  id: "i-0d5e8a1b2c3f40596",
  node: "ip-10-0-9-9.eu-west-1.compute.internal",
  roleArn: "arn:aws:iam::123456789012:role/team/node",
};

const nodesProfile = { name: "nodes", path: "/" };
const awsAuth = { resource: configMaps, namespace: "kube-system", name: "aws-auth" };

/** The options in which a launch differs from the default. */
export interface LaunchLand extends WorldOptions {
  /** The `mapRoles` of `aws-auth`; undefined for no such map. */
  readonly mapRoles?: string;
  readonly profile?: "with a role" | "without a role" | "none";
  readonly platform?: "linux" | "windows";
}

/** A world in which a group has a launch hook, and an instance that waits to be launched. */
export class LaunchWorld extends VirtualWorld {
  readonly #land: LaunchLand;

  constructor(land: LaunchLand = {}) {
    // An access entry maps the function's own role, so the cluster's authentication mode allows
    // entries.
    super({ nodes: 1, ...land, settings: { NODE_ACCESS: "aws-auth", ...land.settings } });
    this.#land = land;
    if (land.mapRoles !== undefined)
      this.cluster.addConfigMap({
        metadata: { name: "aws-auth", namespace: "kube-system" },
        data: { mapRoles: land.mapRoles },
      });
    const { heartbeat = seconds(1800) } = land;
    this.aws.autoScaling.putHook(group, {
      name: launchHook,
      transition: "autoscaling:EC2_INSTANCE_LAUNCHING",
      defaultResult: "ABANDON",
      targetArn: this.topicArn,
      heartbeat,
    });
  }

  /** Auto Scaling starts the instance, and its launch hook holds it. */
  launch(journey: JourneyName = "launch"): void {
    const { profile = "with a role", platform = "linux" } = this.#land;
    const { iam, ec2, autoScaling } = this.aws;
    const { arn } = iam.createInstanceProfile(nodesProfile, []);
    if (profile === "with a role") this.giveRole();
    const zone = "eu-west-1a";
    const profileArn = profile === "none" ? "" : arn;
    ec2.run({ id: launched.id, zone, privateIp: "10.0.9.9", platform, profileArn });
    autoScaling.launch({ id: launched.id, zone, group }, journey);
  }

  /** The instance's profile gets the role. */
  giveRole(): void {
    const { iam } = this.aws;
    iam.createInstanceProfile(nodesProfile, [iam.createRole({ name: "node", path: "/team/" })]);
  }

  /** The instance's kubelet registers its node. */
  join(options: Partial<NodeOptions> = {}): void {
    const providerID = `aws:///eu-west-1a/${launched.id}`;
    this.cluster.addNode({ name: launched.node, providerID, ...options });
  }

  /** Somebody writes `aws-auth` by hand. */
  mend(mapRoles: string): void {
    this.cluster.store.update(awsAuth, (map) => ({ ...map, data: { mapRoles } }));
  }

  /** The current `mapRoles` of `aws-auth`. */
  get mapRoles(): string | undefined {
    const { mapRoles } = this.cluster.store.tryGet(awsAuth)?.data ?? {};
    return mapRoles;
  }
}
