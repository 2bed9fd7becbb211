import { describe, expect, it } from "vitest";
import { doctorActions } from "../../../cli/doctor/doctor-actions.ts";
import { minutes, seconds } from "../../../lambda/domain/time.ts";
import { bookmarkTags } from "../../../lambda/domain/upgrade/bookmark/bookmark-tags.ts";
import {
  admissionBindings,
  admissionPolicies,
} from "../../../sandbox/cluster/kinds/admission-resources.ts";
import { aBookmark } from "../../domain/upgrade/upgrade-builders.ts";
import {
  aDoctorSite,
  type DoctorSite,
  type DoctorSiteOptions,
  examined,
  idOf,
  stackName,
} from "./doctor-site.ts";

/** A link that is broken, and what `doctor` says of it. */
interface Break {
  readonly how: string;
  readonly options?: DoctorSiteOptions;
  readonly breaking?: (site: DoctorSite) => unknown;
  readonly says: RegExp;
  /** Links that cannot be well or read either. @default none */
  readonly follows?: readonly string[];
}

const id = {
  topic: idOf("AWS::SNS::Topic"),
  queue: idOf("AWS::SQS::Queue", /InboxQueue/),
  deadLetters: idOf("AWS::SQS::Queue", /DeadLetters/),
  mapping: idOf("AWS::Lambda::EventSourceMapping"),
  function: idOf("AWS::Lambda::Function", /NodeFunction/),
  role: idOf("AWS::IAM::Role", /NodeRole/),
  hooksRole: idOf("AWS::IAM::Role", /HooksRole/),
  rule: idOf("AWS::Events::Rule", /SpotInterruption/),
  alarm: idOf("AWS::CloudWatch::Alarm", /DeadLetters/),
  group: idOf("AWS::EC2::SecurityGroup"),
};
const clusterGroup = "sg-0a1b2c3d4e5f60718";
const account = "123456789012";
const arn = (service: string, rest: string) => `arn:aws:${service}:eu-west-1:${account}:${rest}`;
const topicArn = arn("sns", id.topic);
const hook = "Terminate-LC-Hook";

const only = <T>(map: ReadonlyMap<string, T>): readonly [string, T] => {
  const [entry] = map;
  if (entry === undefined) throw new Error("there is none");
  return entry;
};

/** Takes an action away from a role, as a permissions boundary would. */
const denying =
  (role: string, denied: string) =>
  ({ aws }: DoctorSite): void => {
    const others = aws.authorize;
    aws.authorize = (request) =>
      request.action === denied && request.principal.includes(role) ? "denied" : others(request);
  };

/** Changes a fence as an administrator would. */
const refencing =
  (name: string, change: (spec: object) => object) =>
  ({ cluster }: DoctorSite): void => {
    const resource = name === "binding" ? admissionBindings : admissionPolicies;
    const ref = { resource, name: "eks-node-lifecycle" };
    cluster.store.update(ref, (fence) => ({ ...fence, spec: change(fence.spec) }));
  };

const rewording = (from: string, to: string) =>
  refencing("policy", (spec) => Object(JSON.parse(JSON.stringify(spec).replace(from, to))));

const breaks: Readonly<Record<string, readonly Break[]>> = {
  cluster: [
    {
      how: "the cluster has Kubernetes 1.29",
      breaking: ({ aws }) => aws.eks.updateCluster("sample", { version: "1.29" }),
      says: /1\.29, which has no ValidatingAdmissionPolicy/,
    },
    {
      how: "the cluster has failed",
      breaking: ({ aws }) => aws.eks.updateCluster("sample", { status: "FAILED" }),
      says: /cluster sample is FAILED/,
    },
  ],
  hooks: [
    {
      how: "the hook of terminations is deleted",
      breaking: ({ aws }) => aws.autoScaling.deleteHook("workers", hook),
      says: /group workers has no hook for terminating instances that tells/,
    },
    {
      how: "the hook of launches is deleted",
      breaking: ({ aws }) => aws.autoScaling.deleteHook("workers", "Launch-LC-Hook"),
      says: /group workers has no hook for launching instances/,
    },
    {
      how: "the hook tells another topic",
      breaking: ({ aws }) =>
        aws.autoScaling.putHook("workers", { name: hook, targetArn: aws.sns.createTopic("other") }),
      says: /no hook for terminating instances .*\(Terminate-LC-Hook tells .*:other\)/,
    },
    {
      how: "the hook has another role",
      breaking: ({ aws }) => aws.autoScaling.putHook("workers", { name: hook, roleArn: "another" }),
      says: /hook Terminate-LC-Hook of group workers publishes as another/,
    },
    {
      how: "the hook waits 30 s for a heartbeat and the drain may take an hour",
      options: { tags: { "eks-node-lifecycle/drain-timeout-seconds": "3600" } },
      breaking: ({ aws }) =>
        aws.autoScaling.putHook("workers", { name: hook, heartbeat: seconds(30) }),
      says: /waits 30 s for a heartbeat, so it holds an instance for 50 min at most, and the work may take 1 h/,
    },
    {
      how: "the hook's default result is ABANDON",
      breaking: ({ aws }) =>
        aws.autoScaling.putHook("workers", { name: hook, defaultResult: "ABANDON" }),
      says: /has the default result ABANDON, not CONTINUE/,
    },
    {
      how: "a hook of others abandons terminations",
      breaking: ({ aws }) =>
        aws.autoScaling.putHook("workers", {
          ...{ name: "theirs", transition: "autoscaling:EC2_INSTANCE_TERMINATING" },
          ...{ defaultResult: "ABANDON", heartbeat: minutes(5) },
        }),
      says: /hook theirs of group workers tells others, and ends the instance by ABANDON/,
    },
  ],
  "hooks' role": [
    {
      how: "the hooks' role may not publish",
      breaking: denying(id.hooksRole, "sns:Publish"),
      says: /do not allow sns:Publish on/,
    },
    {
      how: "the hooks' role may not use the key",
      breaking: denying(id.hooksRole, "kms:GenerateDataKey"),
      says: /do not allow kms:GenerateDataKey on/,
    },
  ],
  topic: [
    {
      how: "the topic's policy denies everybody",
      breaking: ({ records, amend }) =>
        amend(records.topics, topicArn, {
          Policy: JSON.stringify({
            Statement: [{ Effect: "Deny", Action: "sns:Publish", Principal: "*", Resource: "*" }],
          }),
        }),
      says: /denies sns:Publish to the hooks' role/,
    },
    {
      how: "the topic is deleted",
      breaking: ({ records }) => {
        records.topics.delete(topicArn);
        records.subscriptions.clear();
      },
      says: /topic .* is not there, although the stack has it/,
      follows: ["subscription"],
    },
  ],
  key: [
    {
      how: "the key is to be deleted",
      breaking: ({ records, amend }) =>
        amend(records.keys, only(records.keys)[0], { KeyState: "PendingDeletion" }),
      says: /is PendingDeletion, so nobody can publish/,
    },
    {
      how: "the topic is encrypted with the key of SNS",
      breaking: ({ records, amend }) =>
        amend(records.topics, topicArn, { KmsMasterKeyId: "alias/aws/sns" }),
      says: /the key of SNS, which Auto Scaling cannot use/,
    },
  ],
  subscription: [
    {
      how: "the subscription is deleted",
      breaking: ({ records }) => records.subscriptions.clear(),
      says: /does not subscribe to/,
    },
    {
      how: "the subscription is not confirmed",
      breaking: ({ records, amend }) =>
        amend(records.subscriptions, only(records.subscriptions)[0], {
          PendingConfirmation: "true",
        }),
      says: /is not confirmed/,
    },
    {
      how: "the subscription waits for its confirmation, and has no ARN yet",
      breaking: ({ records }) => {
        const [subscription, its] = only(records.subscriptions);
        records.subscriptions.delete(subscription);
        records.subscriptions.set("PendingConfirmation", its);
      },
      says: /is not confirmed/,
    },
    {
      how: "the subscription has a filter",
      breaking: ({ records, amend }) =>
        amend(records.subscriptions, only(records.subscriptions)[0], { FilterPolicy: '{"a":[1]}' }),
      says: /has a filter, which may drop notices/,
    },
    {
      how: "the subscription has no dead letters",
      breaking: ({ records }) => {
        const [subscription, { RedrivePolicy: _, ...rest }] = only(records.subscriptions);
        records.subscriptions.set(subscription, rest);
      },
      says: /drops what it cannot deliver/,
    },
  ],
  queue: [
    {
      how: "the queue's policy lets nobody send",
      breaking: ({ records }) => records.queues.set(id.queue, { Policy: "" }),
      says: /does not let topic .* send/,
    },
    {
      how: "the queue's policy lets a rule no longer send",
      breaking: ({ records, amend }) => {
        const { Policy = "" } = records.queues.get(id.queue) ?? {};
        amend(records.queues, id.queue, { Policy: Policy.replaceAll(id.rule, "another") });
      },
      says: /does not let rule .*SpotInterruption.* send/,
    },
    {
      how: "the queue has no dead letters",
      breaking: ({ records, amend }) => amend(records.queues, id.queue, { RedrivePolicy: "" }),
      says: /sends what it cannot deliver to nobody/,
    },
    {
      how: "the queue gives up after three receives",
      breaking: ({ records, amend }) =>
        amend(records.queues, id.queue, {
          RedrivePolicy: JSON.stringify({
            ...{ deadLetterTargetArn: arn("sqs", id.deadLetters), maxReceiveCount: "3" },
          }),
        }),
      says: /makes a dead letter of a message after 3 receives/,
    },
    {
      how: "the queue hides a message for as long as the function may work",
      breaking: ({ records, amend }) =>
        amend(records.queues, id.queue, { VisibilityTimeout: "120" }),
      says: /hides a message for 120 s, and the function may work on it for 120/,
    },
    {
      how: "the queue is encrypted with the key of SQS",
      breaking: ({ records, amend }) =>
        amend(records.queues, id.queue, { KmsMasterKeyId: "alias/aws/sqs" }),
      says: /the key of SQS, which neither SNS nor EventBridge can use/,
    },
  ],
  "dead letters": [
    {
      how: "the policy of the dead letters lets nobody send",
      breaking: ({ records }) => records.queues.set(id.deadLetters, { Policy: "" }),
      says: /does not let topic .* send/,
    },
  ],
  mapping: [
    {
      how: "the mapping is disabled",
      breaking: ({ records, amend }) => amend(records.mappings, id.mapping, { State: "Disabled" }),
      says: /is Disabled, so the function gets no notice/,
    },
    {
      how: "the mapping reads another queue",
      breaking: ({ records, amend }) =>
        amend(records.mappings, id.mapping, { EventSourceArn: arn("sqs", "other") }),
      says: /reads .*:other, not/,
    },
    {
      how: "the mapping gives back whole batches",
      breaking: ({ records, amend }) =>
        amend(records.mappings, id.mapping, { FunctionResponseTypes: [] }),
      says: /gives back whole batches/,
    },
    {
      how: "the mapping cannot call the function",
      breaking: ({ records, amend }) =>
        amend(records.mappings, id.mapping, {
          LastProcessingResult: "PROBLEM: Function call failed",
        }),
      says: /says: PROBLEM: Function call failed/,
    },
    {
      how: "the mapping is deleted",
      breaking: ({ records }) => records.mappings.delete(id.mapping),
      says: /mapping is not there/,
    },
  ],
  function: [
    {
      how: "the function has failed",
      breaking: ({ aws }) => aws.lambda.update(id.function, { state: "Failed" }),
      says: /is Failed/,
    },
    {
      how: "the function has an old runtime",
      breaking: ({ records, amend }) =>
        amend(records.functions, id.function, { Runtime: "nodejs20.x" }),
      says: /runs on nodejs20.x, and its code is for nodejs24.x/,
    },
    {
      how: "the last update of the function has failed",
      breaking: ({ records, amend }) =>
        amend(records.functions, id.function, { LastUpdateStatus: "Failed" }),
      says: /the last update of function .* failed/,
    },
    {
      how: "the function gives notices back to another queue",
      breaking: ({ aws }) => {
        const { environment } = aws.lambda.find(id.function);
        const { QUEUE_URL: url = "" } = environment;
        const QUEUE_URL = `${url}-2`;
        aws.lambda.update(id.function, { environment: { ...environment, QUEUE_URL } });
      },
      says: /gives notices back to .*-2, which is not its queue/,
    },
    {
      how: "the function works for another cluster",
      breaking: ({ aws }) => {
        const { environment } = aws.lambda.find(id.function);
        aws.lambda.update(id.function, { environment: { ...environment, CLUSTER_NAME: "other" } });
      },
      says: /works for cluster other, not for sample/,
    },
    {
      how: "the function's environment cannot be read",
      breaking: ({ aws }) => {
        const { environment } = aws.lambda.find(id.function);
        const broken = { ...environment, DRAIN_MODE: "nonsense" };
        aws.lambda.update(id.function, { environment: broken });
      },
      says: /DRAIN_MODE/,
      follows: ["hooks", "network", "permissions", "rbac", "fences", "upgrades"],
    },
    {
      how: "the function is deleted",
      breaking: ({ aws }) => aws.lambda.delete(id.function),
      says: /the function is not there, although the stack has it/,
      follows: [
        ...["hooks", "network", "security groups", "permissions", "access", "rbac", "fences"],
        "upgrades",
      ],
    },
  ],
  network: [
    {
      how: "the NAT gateway is gone, and the route a black hole",
      breaking: ({ records, amend }) =>
        amend(records.routeTables, "private", {
          Routes: [
            { DestinationCidrBlock: "0.0.0.0/0", NatGatewayId: "nat-1", State: "blackhole" },
          ],
        }),
      says: /has no way out: .* no endpoint for autoscaling, ec2, eks, sqs/,
    },
    {
      how: "the subnets are public",
      breaking: ({ records, amend }) =>
        amend(records.routeTables, "private", {
          Routes: [{ DestinationCidrBlock: "0.0.0.0/0", GatewayId: "igw-1", State: "active" }],
        }),
      says: /an internet gateway, which a function cannot use/,
    },
  ],
  "security groups": [
    {
      how: "the function's security group lets nothing out",
      breaking: ({ records, amend }) =>
        amend(records.securityGroups, id.group, { IpPermissionsEgress: [] }),
      says: /lets HTTPS out/,
    },
    {
      how: "the cluster's security group lets nothing in",
      breaking: ({ records, amend }) =>
        amend(records.securityGroups, clusterGroup, { IpPermissions: [] }),
      says: /does not let the function's .* in on port 443/,
    },
  ],
  permissions: [
    {
      how: "the function's role may not complete a hook",
      breaking: denying(id.role, "autoscaling:CompleteLifecycleAction"),
      says: /do not allow autoscaling:CompleteLifecycleAction on .*autoScalingGroupName\/workers/,
    },
    {
      how: "the function's role may not write the journal, which the alarms are made of",
      breaking: denying(id.role, "logs:PutLogEvents"),
      says: /do not allow logs:PutLogEvents on .*:log-group:/,
    },
  ],
  access: [
    {
      how: "the access entry is deleted",
      breaking: ({ aws }) =>
        aws.eks.findCluster("sample").entries.delete(`arn:aws:iam::${account}:role/${id.role}`),
      says: /does not admit role/,
    },
    {
      how: "the access entry has another group",
      breaking: ({ aws }) =>
        aws.eks.findCluster("sample").entries.update(`arn:aws:iam::${account}:role/${id.role}`, {
          ...{ username: undefined, groups: ["others"] },
        }),
      says: /puts it into others, and not into eks-node-lifecycle/,
    },
  ],
  rbac: [
    {
      how: "the ClusterRole of evictions is deleted",
      options: {
        keeps: ({ kind, metadata: { name } }) =>
          kind !== "ClusterRole" || name !== "eks-node-lifecycle",
      },
      says: /the function may not create pods\/eviction/,
    },
    {
      how: "the binding of force is deleted",
      options: { keeps: ({ metadata: { name } }) => name !== "eks-node-lifecycle-force" },
      says: /^the function may not delete pods$/,
    },
  ],
  fences: [
    {
      how: "the binding of the node's fence is deleted",
      breaking: ({ cluster }) =>
        cluster.store.remove({ resource: admissionBindings, name: "eks-node-lifecycle" }),
      says: /ValidatingAdmissionPolicyBinding eks-node-lifecycle is not there/,
    },
    {
      how: "the fence fails open",
      breaking: refencing("policy", (spec) => ({ ...spec, failurePolicy: "Ignore" })),
      says: /fails open/,
    },
    {
      how: "the fence lets everybody pass by a condition",
      breaking: refencing("policy", (spec) => ({
        ...spec,
        matchConditions: [{ name: "nobody", expression: "false" }],
      })),
      says: /is not that of this version and these settings/,
    },
    {
      how: "the fence heeds no resources",
      breaking: refencing("policy", (spec) => ({
        ...spec,
        matchConstraints: { resourceRules: [] },
      })),
      says: /is not that of this version and these settings/,
    },
    {
      how: "a variable of the fence is always false",
      breaking: rewording("request.operation == 'DELETE'", "false"),
      says: /is not that of this version and these settings/,
    },
    {
      how: "the binding is for some namespaces",
      breaking: refencing("binding", (spec) => ({
        ...spec,
        matchResources: { namespaceSelector: { matchLabels: { team: "a" } } },
      })),
      says: /is not that of this version and these settings/,
    },
    {
      how: "the fence has no validations",
      breaking: refencing("policy", (spec) => ({ ...spec, validations: [] })),
      says: /is not that of this version and these settings/,
    },
    {
      how: "the fence allows the taint of nodes that are out of service",
      breaking: rewording("'never'", "'taint'"),
      says: /is not that of this version and these settings/,
    },
    {
      how: "the binding only warns",
      breaking: refencing("binding", (spec) => ({ ...spec, validationActions: ["Warn"] })),
      says: /does not deny what eks-node-lifecycle refuses/,
    },
  ],
  rules: [
    {
      how: "a rule is disabled",
      breaking: ({ records, amend }) => {
        const { rule } = records.rules.get(id.rule) ?? { rule: {} };
        amend(records.rules, id.rule, { rule: { ...rule, State: "DISABLED" } });
      },
      says: /is DISABLED, so its events are not heard/,
    },
    {
      how: "a rule has lost its target",
      breaking: ({ records, amend }) => amend(records.rules, id.rule, { targets: [] }),
      says: /does not tell queue/,
    },
    {
      how: "a rule is deleted",
      breaking: ({ records }) => records.rules.delete(id.rule),
      says: /is not there, although the stack has it/,
    },
  ],
  upgrades: [
    {
      how: "nobody answers an upgrade any more",
      options: { tags: bookmarkTags(aBookmark({ id: "0badcafe" })) },
      breaking: () => undefined,
      says: /nobody has looked at upgrade 0badcafe of workers, running, since/,
    },
    {
      how: "somebody has spoilt the tags of an upgrade",
      options: { tags: { ...bookmarkTags(aBookmark()), "eks-node-lifecycle/upgrade": "nonsense" } },
      breaking: () => undefined,
      says: /the upgrade of workers cannot be read: the tag eks-node-lifecycle\/upgrade cannot be read/,
    },
  ],
  alarms: [
    {
      how: "an alarm goes off",
      breaking: ({ records, amend }) => amend(records.alarms, id.alarm, { StateValue: "ALARM" }),
      says: /goes off/,
    },
    {
      how: "an alarm's actions are switched off",
      breaking: ({ records, amend }) => amend(records.alarms, id.alarm, { ActionsEnabled: false }),
      says: /tells nobody/,
    },
    {
      how: "an alarm is deleted",
      breaking: ({ records }) => records.alarms.delete(id.alarm),
      says: /is not there, although the stack has it/,
    },
  ],
};

const table = Object.entries(breaks).flatMap(([link, ways]) =>
  ways.map((way) => [link, way.how, way] as const),
);

describe("doctor", () => {
  it("says that all is well of a stack as it is deployed", async () => {
    await aDoctorSite();

    expect(await examined()).toMatchObject({
      ...{ code: 0, broken: [], unknown: [] },
      line: "sample: 23 of 23 links are well",
    });
  });

  it("leaves alone the hooks of others that hold an instance longer, or give up launches", async () => {
    const { aws } = await aDoctorSite();
    const beat = { heartbeat: minutes(5) };
    const [leaving, coming] = ["TERMINATING", "LAUNCHING"] as const;
    aws.autoScaling.putHook("workers", {
      ...{ ...beat, name: "longer", transition: `autoscaling:EC2_INSTANCE_${leaving}` },
      defaultResult: "CONTINUE",
    });
    aws.autoScaling.putHook("workers", {
      ...{ ...beat, name: "launches", transition: `autoscaling:EC2_INSTANCE_${coming}` },
      defaultResult: "ABANDON",
    });

    expect(await examined()).toMatchObject({ code: 0, broken: [] });
  });

  it.each(table)("names exactly the link that is broken: %s, where %s", async (link, _, way) => {
    const site = await aDoctorSite(way.options);
    way.breaking?.(site);

    const { code, links, broken, unknown } = await examined();

    expect(code).toBe(3);
    expect([...broken, ...unknown].toSorted()).toEqual([link, ...(way.follows ?? [])].toSorted());
    const said = links.filter((one) => one.link === link);
    expect(said).toContainEqual(
      expect.objectContaining({ state: "broken", found: expect.stringMatching(way.says) }),
    );
    expect(said.map(({ remedy }) => remedy)).not.toContain("");
  });

  it.each(doctorActions)(
    "calls unknown, and not broken, what it may not read: %s",
    async (action) => {
      const { aws } = await aDoctorSite();
      const others = aws.authorize;
      aws.authorize = (request) =>
        request.action === action && request.principal.includes("/person/")
          ? "denied"
          : others(request);

      const { code, links, broken, unknown } = await examined();

      expect({ code, broken }).toEqual({ code: 1, broken: [] });
      expect(unknown).not.toEqual([]);
      expect(links).toContainEqual(
        expect.objectContaining({ remedy: expect.stringContaining(action) }),
      );
    },
  );

  it("makes every call that it says it needs in AWS, and no other", async () => {
    const { aws } = await aDoctorSite();
    const asked = new Set<string>();
    const others = aws.authorize;
    aws.authorize = (request) => {
      if (request.principal.includes("/person/")) asked.add(request.action);
      return others(request);
    };

    await examined();

    expect([...asked].toSorted()).toEqual(doctorActions.toSorted());
  });

  it("calls unknown what it may not read of the cluster, and tells the rest", async () => {
    await aDoctorSite({ rights: [] });

    const { code, broken, unknown, links } = await examined();

    expect({ code, broken, unknown }).toEqual({ code: 1, broken: [], unknown: ["rbac", "fences"] });
    expect(links).toContainEqual(
      expect.objectContaining({
        remedy: expect.stringContaining("may create subjectaccessreviews"),
      }),
    );
  });

  it("finds the subscription behind a hundred others", async () => {
    const { records } = await aDoctorSite();
    const [arn, its] = only(records.subscriptions);
    records.subscriptions.clear();
    for (const index of Array(150).keys())
      records.subscriptions.set(`${arn}${index}`, { ...its, Endpoint: `${index}` });
    records.subscriptions.set(arn, its);

    expect(await examined()).toMatchObject({ code: 0, broken: [] });
  });

  it("simulates requests as the function makes them: in its Region, and over TLS", async () => {
    const { aws } = await aDoctorSite();
    const others = aws.authorize;
    // As an organisation limits its accounts: Deny, StringNotEquals aws:RequestedRegion.
    aws.authorize = (request) =>
      request.principal.endsWith("/simulation") &&
      (request.context?.["aws:RequestedRegion"] !== "eu-west-1" ||
        request.context?.["aws:SecureTransport"] !== "true")
        ? "denied"
        : others(request);

    expect(await examined()).toMatchObject({ code: 0, broken: [] });
  });

  it("calls unknown a policy that it cannot judge", async () => {
    const { records, amend } = await aDoctorSite();
    const [statement] = [{ Effect: "Allow", Action: "*", Principal: "*", Resource: "*" }];
    const Condition = { IpAddress: { "aws:SourceIp": "10.0.0.0/8" } };
    const Policy = JSON.stringify({ Statement: [{ ...statement, Condition }] });
    amend(records.queues, id.queue, { Policy });

    const { code, broken, unknown } = await examined();

    expect({ code, broken, unknown }).toEqual({ code: 1, broken: [], unknown: ["queue"] });
  });

  it("says what is missing where there is no stack", async () => {
    const { aws } = await aDoctorSite();
    aws.cloudFormation.deleteStack(stackName);

    const { code, states, line } = await examined();

    expect(code).toBe(3);
    expect(states("ok")).toEqual(["credentials", "cluster"]);
    expect(states("absent")).toHaveLength(21);
    expect(line).toBe("sample: 21 absent, 2 of 23 links are well");
  });
});
