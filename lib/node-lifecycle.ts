import { Aws, CfnOutput } from "aws-cdk-lib";
import type { Grant, IGrantable } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import {
  type OtherFunctionName,
  type OutputName,
  type OwnOutputName,
  productName,
  productVersion,
  trust,
} from "../lambda/base/contract.ts";
import { drainSettings } from "../lambda/config/settings.ts";
import type { ClusterPlace, FunctionPlace } from "./cluster-place.ts";
import {
  type CompleteProps,
  complete,
  groupWork,
  rightsOf,
  settingsOf,
  wantedBy,
} from "./complete-props.ts";
import { ClusterAccess } from "./function/cluster-access.ts";
import { FunctionNetwork } from "./function/function-network.ts";
import { nodePermissions } from "./function/function-permissions.ts";
import { groupFunction } from "./function/group-function.ts";
import { JournalMetrics } from "./function/journal-metrics.ts";
import type { OtherFunction } from "./function/other-function.ts";
import { PrivateEndpoints, warnOfIam } from "./function/private-endpoints.ts";
import type { QueueFunction } from "./function/queue-function.ts";
import { WorkQueue } from "./function/work-queue.ts";
import { assertOnly, assertProps } from "./limits/assert-props.ts";
import { assertSettings } from "./limits/assert-settings.ts";
import { estimateArns } from "./limits/group-limits.ts";
import { assertReceives, defaultReceives } from "./limits/limits.ts";
import { merged } from "./merged.ts";
import type { NodeLifecycleProps } from "./node-lifecycle-props.ts";
import { EventRules, putBackSchedule } from "./notice/event-rules.ts";
import { LifecycleHooks } from "./notice/lifecycle-hooks.ts";
import { NoticeTopic } from "./notice/notice-topic.ts";
import { Operable } from "./operable.ts";
import { Refusal } from "./refusal.ts";
import * as subjects from "./subjects.ts";
import { Alarms } from "./watching/alarms.ts";
import { Dashboard } from "./watching/dashboard.ts";
import { type Notifier, notifierSubjects } from "./watching/notifier.ts";
import { SavedQueries } from "./watching/saved-queries.ts";

/** Drains and registers the nodes of Auto Scaling groups, as managed node groups do, from outside the cluster. */
export class NodeLifecycle extends Operable {
  readonly cluster: ClusterPlace;
  readonly topic: NoticeTopic;
  readonly queue: WorkQueue;
  readonly nodeFunction: QueueFunction;
  readonly journal: JournalMetrics;
  readonly otherFunctions: readonly OtherFunction[];
  readonly access: ClusterAccess;
  readonly hooks: LifecycleHooks;
  readonly notifiers: readonly Notifier[];
  readonly alarms: Alarms;

  constructor(scope: Construct, id: string, given: NodeLifecycleProps) {
    super(scope, id);
    this.cluster = given.cluster;
    const props = complete(given);
    const isDeployment = (found: unknown) => found instanceof NodeLifecycle;
    assertOnly(this, this.node.root.node.findAll().filter(isDeployment));
    const own = Object.values(subjects);
    const settings = [settingsOf(props), ...own.map(({ environmentIn }) => environmentIn(props))];
    assertSettings(merged(settings));
    assertProps(this, props);
    estimateArns(this, props.groups);
    const { encryptionKey } = props;
    this.topic = new NoticeTopic(this, "Notices", encryptionKey && { encryptionKey });
    this.queue = this.#inbox(props);
    new EventRules(this, "Events", { ...props.events, queue: this.queue });
    if ((props.drain?.makeRoom ?? "off") !== "off") putBackSchedule(this, "PutBack", this.queue);
    const network = new FunctionNetwork(this, "Network", props);
    const { surroundings } = network;
    this.nodeFunction = this.#nodeFunction(props, surroundings);
    const { logGroup } = this.nodeFunction;
    const { clusterName } = this.cluster;
    this.journal = new JournalMetrics(this, "Journal", { logGroup, clusterName });
    this.otherFunctions = own.flatMap(({ deploy }) => deploy(this, props, surroundings));
    this.access = this.#access(props, surroundings);
    this.access.node.addDependency(network, ...this.#endpoints(props, surroundings));
    this.hooks = this.#hooks(props, network);
    this.notifiers = this.#notifiers(props);
    this.alarms = new Alarms(this, "Alarms", {
      ...props.alarms,
      watched: this,
      otherFunctions: this.otherFunctions,
    });
    this.#show(props);
    tellOutputs(this);
    tellMode(this, props);
    for (const other of this.otherFunctions) other.tellOutputs(this);
  }

  /** The queue of notices. It is the timer and the buffer of drains: each message is one notice. */
  #inbox({ queue: options = {} }: CompleteProps): WorkQueue {
    const queue = new WorkQueue(this, "Inbox", options);
    assertReceives(options.receives ?? defaultReceives);
    queue.subscribe(this.topic.topic);
    return queue;
  }

  /** Allows what the command `upgrade` asks of AWS: to tell the upgrade function what is wanted, and to read what becomes of it. */
  grantUpgrade(grantee: IGrantable): Grant {
    const upgrades = this.otherFunctions.find(({ work }) => work.name === "Upgrade");
    if (upgrades === undefined)
      throw new Refusal(
        `${this.node.path} has no upgrades that grantUpgrade could allow; set upgrades: "on"`,
      );
    return upgrades.grantCommand(grantee, this);
  }

  #notifiers(props: CompleteProps): readonly Notifier[] {
    const place = { ...props.function, clusterName: this.cluster.clusterName };
    const journal = this.nodeFunction.logGroup;
    return notifierSubjects.flatMap((one) => one.deploy(this, props, { ...place, journal }));
  }

  #show({ dashboard = "on", savedQueries = "on" }: CompleteProps): void {
    const { alarms } = this.alarms;
    if (dashboard === "on")
      new Dashboard(this, "Overview", {
        watched: this,
        alarms,
        otherFunctions: this.otherFunctions,
      });
    const { clusterName } = this.cluster;
    const { logGroup: journal } = this.nodeFunction;
    if (savedQueries === "on") new SavedQueries(this, "Queries", { journal, clusterName });
  }

  #nodeFunction(props: CompleteProps, surroundings: FunctionPlace): QueueFunction {
    const work = groupWork(props, surroundings);
    const news = merged(notifierSubjects.map((one) => one.environmentIn(props)));
    const settings = { ...work.settings, ...news, [trust.hookTargets]: this.#hookTargets() };
    return groupFunction(this, "Node", {
      ...work,
      settings,
      queue: this.queue,
      bundle: "node",
      description: `Drains and registers nodes of cluster ${this.cluster.clusterName}`,
      roleDescription: "Drains and registers the nodes of the managed groups",
      grants: nodePermissions,
    });
  }

  /** The targets of the hooks' notifications: the topic, or the queue itself. */
  #hookTargets(): string {
    return `${this.topic.topic.topicArn} ${this.queue.queue.queueArn}`;
  }

  #access(props: CompleteProps, surroundings: FunctionPlace): ClusterAccess {
    const { authenticationMode, function: { architecture, logRetention } = {} } = props;
    const { role } = this.nodeFunction;
    const place = { surroundings, authenticationMode, role, otherFunctions: this.otherFunctions };
    return new ClusterAccess(this, "Access", {
      ...place,
      ...rightsOf(props),
      architecture,
      logRetention,
    });
  }

  #endpoints(props: CompleteProps, around: FunctionPlace) {
    const { privateEndpoints: services = [], privateEndpointsAdmit: admit } = props;
    if (services.length === 0) return [];
    if (wantedBy(props).has("launches")) warnOfIam(this);
    const wanted = { ...around, services, ...(admit && { admit }) };
    const endpoints = new PrivateEndpoints(this, "Endpoints", wanted);
    for (const { mapping } of [
      this.nodeFunction,
      ...this.otherFunctions.map((one) => one.function),
    ])
      mapping.node.addDependency(endpoints);
    return [endpoints];
  }

  /** The hooks are created last and deleted first, because a hook that nobody answers holds every instance until it times out. */
  #hooks(props: CompleteProps, network: FunctionNetwork): LifecycleHooks {
    const { groups, hooks, groupTag } = props;
    const { topic, queue, nodeFunction, access } = this;
    const notices = { groups, topic, ...(groupTag && { groupTag }) };
    const after = [topic, queue, nodeFunction, access, network];
    return new LifecycleHooks(this, "Hooks", { ...hooks, ...notices, after });
  }
}

/** Tells whether the deployment evicts, because a first one does not. */
function tellMode(
  lifecycle: Operable,
  { drain: { mode = drainSettings.mode.default } = {} }: CompleteProps,
) {
  new CfnOutput(lifecycle, "DrainMode", {
    description:
      "evict drains nodes; dry-run only says in the log what a drain would have done. A group's tag goes first",
    value: mode,
  });
}

/** Tells what the commands of the runbook need to know about a deployment. */
function tellOutputs(lifecycle: Operable): void {
  const { nodeFunction, queue, topic } = lifecycle;
  const values: Readonly<
    Record<Exclude<OutputName, `${OtherFunctionName}${OwnOutputName}`>, string>
  > = {
    FunctionName: nodeFunction.function.functionName,
    LogGroupName: nodeFunction.logGroup.logGroupName,
    MappingId: nodeFunction.mapping.eventSourceMappingId,
    Concurrency: String(nodeFunction.concurrency),
    QueueUrl: queue.queue.queueUrl,
    QueueArn: queue.queue.queueArn,
    DeadLettersUrl: queue.deadLetters.queueUrl,
    DeadLettersArn: queue.deadLetters.queueArn,
    TopicArn: topic.topic.topicArn,
    HooksRoleArn: lifecycle.hooks.role.roleArn,
    Version: productVersion,
  };
  for (const [id, value] of Object.entries(values)) new CfnOutput(lifecycle, id, { value });
  new CfnOutput(lifecycle, "VerifyCommand", {
    description: "Tries the deployment with an instance of GROUP, and says which promises are kept",
    value: `npx ${productName} verify ${lifecycle.cluster.clusterName} --region ${Aws.REGION} --stack ${Aws.STACK_NAME} --group GROUP`,
  });
}
