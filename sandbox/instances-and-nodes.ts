import { type Duration, later, seconds } from "../lambda/base/time.ts";
import type { Aws } from "./aws/aws.ts";
import type { Ec2Instance, InstanceState } from "./aws/ec2.ts";
import { nodes } from "./kubernetes/core-resources.ts";
import type { Node, NodeOptions } from "./kubernetes/node.ts";
import type { World } from "./scenario.ts";

/**
 * The time until the cloud controller removes the node of a terminated instance; `never` where
 * there is no such controller.
 */
export type CloudController = Duration | "never";

/**
 * Stops the kubelet of a node when its EC2 instance shuts down, stops or reboots, and lets the cloud controller remove the
 * node when the instance is terminated.
 */
export function joinInstancesAndNodes(
  { aws, cluster }: World,
  controller: CloudController = seconds(0),
): void {
  const withNode = (id: string, act: (name: string) => void): void => {
    const isIts = ({ spec }: Node) => spec.providerID?.endsWith(`/${id}`) === true;
    const isNamed = ({ metadata }: Node) => metadata.name === aws.ec2.tryFind(id)?.privateDnsName;
    const its = cluster.store.list(nodes).filter(isIts);
    const node = its.find(isNamed) ?? its[0];
    if (node !== undefined) act(node.metadata.name);
  };
  const remove = (id: string) => withNode(id, (name) => cluster.removeNode(name));
  const deeds: Partial<Record<InstanceState, (id: string) => void>> = {
    "shutting-down": (id) => withNode(id, (name) => cluster.stopKubelet(name)),
    stopping: (id) => withNode(id, (name) => cluster.stopKubelet(name)),
    terminated: (id) => {
      if (controller === 0) remove(id);
      else if (controller !== "never")
        aws.timeline.schedule(later(aws.timeline.now(), controller), () => remove(id));
    },
  };
  aws.ec2.onStateChange(({ id, state }) => deeds[state]?.(id));
  aws.ec2.onReboot(({ id }) => {
    withNode(id, (name) => cluster.stopKubelet(name));
    aws.timeline.schedule(later(aws.timeline.now(), reboots), () => {
      if (aws.ec2.tryFind(id)?.state === "running") withNode(id, (name) => cluster.bootNode(name));
    });
  });
}

/** From the request to reboot a machine until its kubelet reports again. */
const reboots = seconds(60);

/** The nodes of the instances that a group launches. */
export interface NewNodes {
  readonly group: string;
  /** From the start of an instance until its kubelet wants to join. */
  readonly boot: Duration;
  /** From then until its node is ready. */
  readonly readies: Duration;
  /** Whether the cluster lets a kubelet in by now; it tries again every ten seconds. @default it does */
  readonly letsIn?: (instance: Ec2Instance) => boolean;
  /**
   * The further fields of a node; one that is `not-ready` stays so, and an instance whose node is
   * `none` never joins.
   * @default nothing
   */
  readonly node?: (instance: Ec2Instance) => Partial<NodeOptions> | "none";
}

const triesAgain = seconds(10);

/** Lets the instances that a group launches from now on join the cluster, with the kubelets of their images. */
export function joinNewInstances(world: World, options: NewNodes): void {
  const { timeline, ec2, autoScaling } = world.aws;
  const { group, boot, letsIn = () => true } = options;
  const started = new Set<string>();
  const join = (id: string): void => {
    const instance = ec2.tryFind(id);
    if (instance?.state !== "running") return;
    if (letsIn(instance)) register(world, options, instance);
    else timeline.schedule(later(timeline.now(), triesAgain), () => join(id));
  };
  autoScaling.onChange(({ id, group: own, state }) => {
    if (own !== group || state !== "Pending" || started.has(id)) return;
    started.add(id);
    timeline.schedule(later(timeline.now(), boot), () => join(id));
  });
}

function register({ aws, cluster }: World, options: NewNodes, instance: Ec2Instance): void {
  const { timeline } = aws;
  const own = options.node?.(instance) ?? {};
  if (own === "none") return;
  const { name } = cluster.addNode({ ...nodeOf(aws, instance), ...own }).metadata;
  if (own.state === "not-ready") return;
  timeline.schedule(later(timeline.now(), options.readies), () => {
    if (cluster.store.tryGet({ resource: nodes, name }) !== undefined)
      cluster.reportNode(name, "ready");
  });
}

/** The node of an instance as its kubelet registers it. */
function nodeOf({ records }: Pick<Aws, "records">, instance: Ec2Instance): NodeOptions {
  const { id, zone, privateDnsName: name, privateIp: address, imageId } = instance;
  const kubelet = records.images.get(imageId)?.kubelet;
  return {
    name,
    address,
    state: "not-ready",
    providerID: `aws:///${zone}/${id}`,
    ...(kubelet !== undefined && { kubeletVersion: kubelet }),
  };
}
