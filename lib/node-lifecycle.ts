import { CfnOutput, Duration } from "aws-cdk-lib";
import type { IPeer, SubnetSelection } from "aws-cdk-lib/aws-ec2";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import { nodeSettings } from "../lambda/config/settings.ts";
import type { AuthenticationMode } from "../lambda/domain/launch/access.ts";
import { awsAuthUse, type NodeAdmission } from "../lambda/domain/rights/aws-auth-use.ts";
import type { ClusterPlace, Surroundings } from "./cluster-place.ts";
import { ClusterAccess, type RightsApplied } from "./function/cluster-access.ts";
import { FunctionNetwork } from "./function/function-network.ts";
import { nodeFunction } from "./function/node-function.ts";
import type { Wanted } from "./function/permission-grant.ts";
import { PrivateEndpoints, type PrivateService } from "./function/private-endpoints.ts";
import type { FunctionOptions, QueueFunction } from "./function/queue-function.ts";
import type { QueueOptions, WorkQueue } from "./function/work-queue.ts";
import { assertAccess } from "./limits/assert-access.ts";
import { assertBackInTime } from "./limits/assert-back-in-time.ts";
import { assertGroups } from "./limits/assert-groups.ts";
import { assertOnly } from "./limits/assert-only.ts";
import { assertSettings } from "./limits/assert-settings.ts";
import { defaultHeartbeat, defaultVisibility } from "./limits/limits.ts";
import type { ManagedGroup } from "./managed-group.ts";
import { type EventOptions, EventRules } from "./notices/event-rules.ts";
import { type HookOptions, LifecycleHooks } from "./notices/lifecycle-hooks.ts";
import { noticeQueue } from "./notices/notice-queue.ts";
import { NoticeTopic } from "./notices/notice-topic.ts";
import { type DrainOptions, environmentOf, type LaunchOptions } from "./options/options.ts";

/** The cluster, the groups, and how their nodes are drained and registered. */
export interface NodeLifecycleProps {
  readonly cluster: ClusterPlace;
  /** The `accessConfig.authenticationMode` of the cluster in EKS. */
  readonly authenticationMode: AuthenticationMode;
  readonly groups: readonly ManagedGroup[];
  /** Where the functions are. @default the private subnets of the cluster's VPC */
  readonly subnets?: SubnetSelection;
  readonly drain?: DrainOptions;
  readonly launch?: LaunchOptions;
  /** The roles that instances of the groups have, by their ARNs. @default any role of the account */
  readonly nodeRoles?: readonly string[];
  /** Who applies the function's rights in the cluster; in mode `CONFIG_MAP` always its owner, by hand. @default "at deployment" */
  readonly rights?: RightsApplied;
  readonly hooks?: HookOptions;
  readonly events?: EventOptions;
  readonly queue?: QueueOptions;
  readonly function?: FunctionOptions;
  /** Endpoints to create in a VPC without internet access. @default none */
  readonly privateEndpoints?: readonly PrivateService[];
  /** Who may use these endpoints besides the functions and the cluster's security group. @default everything in the VPC, if its CIDR block is known */
  readonly privateEndpointsAdmit?: readonly IPeer[];
  /** The DNS servers of a VPC that has its own. @default Amazon's, which need no rule */
  readonly dnsServers?: readonly IPeer[];
  /** Encrypts the topic; its policy must let EventBridge use it. @default a key of its own */
  readonly encryptionKey?: IKey;
}

/** Drains and registers the nodes of Auto Scaling groups, as managed node groups do, from outside the cluster. */
export class NodeLifecycle extends Construct {
  readonly cluster: ClusterPlace;
  readonly topic: NoticeTopic;
  readonly queue: WorkQueue;
  readonly nodeFunction: QueueFunction;
  readonly access: ClusterAccess;
  readonly hooks: LifecycleHooks;

  constructor(scope: Construct, id: string, props: NodeLifecycleProps) {
    super(scope, id);
    this.cluster = props.cluster;
    const isKeeper = (found: unknown) => found instanceof NodeLifecycle;
    assertOnly(this, this.node.root.node.findAll().filter(isKeeper));
    assertGroups(this, props.groups);
    assertAccess(admissionOf(props));
    const { encryptionKey, drain = {} } = props;
    assertBackInTime(
      props.queue?.visibility ?? defaultVisibility,
      props.hooks?.heartbeat ?? defaultHeartbeat,
    );
    this.topic = new NoticeTopic(this, "Notices", encryptionKey && { encryptionKey });
    this.queue = noticeQueue(this, "Inbox", { ...props.queue, topic: this.topic.topic });
    new EventRules(this, "Events", { ...props.events, topic: this.topic });
    const network = new FunctionNetwork(this, "Network", props);
    const { surroundings } = network;
    const { groups, nodeRoles, launch = {}, hooks = {} } = props;
    const settings = {
      ...environmentOf(nodeSettings.drain, drain),
      ...environmentOf(nodeSettings.launch, launch),
      ...environmentOf(nodeSettings.hooks, hooks),
    };
    const work = {
      groups,
      queue: this.queue,
      surroundings,
      settings,
      wanted: wantedBy(props),
      ...(nodeRoles && { nodeRoles }),
    };
    this.nodeFunction = nodeFunction(this, "Node", { ...props.function, ...work });
    this.access = this.#access(props, surroundings);
    this.access.node.addDependency(network, ...this.#endpoints(props, surroundings));
    this.hooks = this.#hooks(props);
    for (const hook of this.hooks.hooks) hook.node.addDependency(network);
    assertSettings(settings);
    new CfnOutput(this, "TopicArn", { value: this.topic.topic.topicArn });
    new CfnOutput(this, "DeadLettersUrl", { value: this.queue.deadLetters.queueUrl });
  }

  #access(props: NodeLifecycleProps, surroundings: Surroundings): ClusterAccess {
    const { authenticationMode, drain, nodeRoles, rights = "at deployment" } = props;
    return new ClusterAccess(this, "Access", {
      surroundings,
      authenticationMode,
      role: this.nodeFunction.role,
      force: drain?.force ?? nodeSettings.drain.force.default,
      awsAuth: awsAuthUse(admissionOf(props)),
      taint: drain?.taint ?? nodeSettings.drain.taint.default,
      ...(nodeRoles && { nodeRoles }),
      rights,
    });
  }

  #endpoints(props: NodeLifecycleProps, around: Surroundings) {
    const { privateEndpoints: services = [], privateEndpointsAdmit: admit } = props;
    if (services.length === 0) return [];
    const wanted = { ...around, services, ...(admit && { admit }) };
    const endpoints = new PrivateEndpoints(this, "Endpoints", wanted);
    this.nodeFunction.mapping.node.addDependency(endpoints);
    return [endpoints];
  }

  /** The hooks are created last and deleted first, because a hook that nobody answers holds every instance until it times out. */
  #hooks({ groups, hooks, drain = {}, launch = {} }: NodeLifecycleProps): LifecycleHooks {
    const timeouts = {
      drain: drain.timeout ?? Duration.seconds(nodeSettings.drain.timeout.default),
      launch: launch.timeout ?? Duration.seconds(nodeSettings.launch.timeout.default),
    };
    const { topic, queue, nodeFunction, access } = this;
    const made = new LifecycleHooks(this, "Hooks", { ...hooks, groups, topic, timeouts });
    for (const hook of made.hooks) hook.node.addDependency(topic, queue, nodeFunction, access);
    return made;
  }
}

/** How the cluster admits the roles of nodes. */
const admissionOf = ({ authenticationMode, launch, hooks }: NodeLifecycleProps): NodeAdmission => ({
  authenticationMode,
  access: launch?.access,
  launching: hooks?.launching,
});

/** What the function does in addition to drains. */
function wantedBy(props: NodeLifecycleProps): ReadonlySet<Wanted> {
  const { authenticationMode, access, launching } = admissionOf(props);
  if (launching === "not held") return new Set();
  const entries = authenticationMode !== "CONFIG_MAP" && access !== "aws-auth";
  return new Set(entries ? ["launches", "access entries"] : ["launches"]);
}
