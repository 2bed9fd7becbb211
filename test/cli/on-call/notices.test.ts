import { AutoScalingClient, DeleteTagsCommand } from "@aws-sdk/client-auto-scaling";
import { describe, expect, it } from "vitest";
import { instant, timestamp } from "../../../lambda/base/time.ts";
import { causeAnnotations } from "../../../lambda/drain/cause.ts";
import { cordonedAnnotation, markedAtAnnotation } from "../../../lambda/drain/marking.ts";
import { nodes } from "../../../sandbox/kubernetes/core-resources.ts";
import { hook, id } from "../../lib/doctor/broken-links/break.ts";
import { stackName } from "../../lib/doctor/doctor-site.ts";
import { commandIn, doAsPrinted, remedyBelow } from "./as-printed.ts";
import { asDoctorSays, handled, nobodyDrains, type Trouble } from "./handled.ts";
import { ending, onCallStack } from "./on-call-site.ts";

const itsNode = { resource: nodes, name: ending.node };

const withoutSubscription = (): ReturnType<typeof onCallStack> => {
  const { template, ...rest } = onCallStack();
  const Resources = Object.fromEntries(
    Object.entries(template.Resources).filter(([, { Type }]) => Type !== "AWS::SNS::Subscription"),
  );
  return { ...rest, template: { ...template, Resources } };
};

/** What keeps notices from the function, and what is left of old ones. */
const troubles: Readonly<Record<string, Trouble>> = {
  "the event source mapping is disabled": {
    options: { functions: "idle" },
    breaking: ({ records, amend }) => amend(records.mappings, id.mapping, { State: "Disabled" }),
    says: {
      status:
        /^broken mapping: .* is Disabled, so the function gets no notice\n {2}remedy: aws lambda/m,
      doctor: /^broken {3}mapping: .* is Disabled, so the function gets no notice$/m,
    },
    broken: ["mapping"],
    untrue: [...nobodyDrains, /resend/],
    remedy: asDoctorSays("mapping"),
  },
  "the function is throttled by hand": {
    options: { functions: "idle" },
    breaking: ({ records }) => records.reserved.set(id.function, 0),
    says: {
      status: /its notice may be among the messages of the queue$/m,
      doctor: /^broken {3}function: function \S+ has a reserved concurrency of 0, so Lambda never/m,
    },
    broken: ["function"],
    untrue: [...nobodyDrains, /resend/],
    remedy: asDoctorSays("function"),
  },
  "the policy of the queue lets nobody send": {
    instance: "in service",
    breaking: ({ records, amend }) => amend(records.queues, id.queue, { Policy: "" }),
    says: { doctor: /^broken {3}queue: the policy of queue \S+ does not let topic \S+ send$/m },
    broken: Array.from({ length: 7 }, () => "queue"),
    untrue: nobodyDrains,
    remedy: (site, { doctor }) =>
      doAsPrinted(remedyBelow(doctor, /does not let rule \S+StateChange\S+ send$/), site),
  },
  "the subscription is missing": {
    options: { synthesised: withoutSubscription() },
    breaking: () => undefined,
    says: {
      status:
        /^broken subscription: queue .* does not subscribe to [\s\S]*no notice of it has reached the function, and none is in the queue/m,
      doctor: /^broken {3}subscription: queue .* does not subscribe to /m,
    },
    broken: ["subscription", "held instances"],
    untrue: nobodyDrains,
    async remedy(site, screens) {
      await asDoctorSays("subscription")(site, screens);
      await site.run(...commandIn(screens.status));
    },
  },
  "somebody has deleted the hook by hand": {
    instance: "in service",
    breaking: ({ aws }) => aws.autoScaling.deleteHook("workers", hook),
    says: {
      status: /^broken hooks: group workers has no hook for terminating instances/m,
      doctor: /^broken {3}hooks: group workers has no hook for terminating instances/m,
    },
    broken: ["hooks"],
    untrue: nobodyDrains,
    remedy: asDoctorSays("hooks"),
  },
  "another group, without tag and hooks, has taken the place of the managed one": {
    options: {
      group: "workers-2",
      synthesised: onCallStack({ groupTag: { key: "drained", value: "yes" } }),
    },
    instance: "in service",
    breaking: () => undefined,
    says: {
      doctor:
        /^note {5}hooks: group workers-2 has the tag kubernetes.io\/cluster\/sample, and nothing drains its nodes/m,
    },
    untrue: nobodyDrains,
    remedy: asDoctorSays("hooks"),
  },
  "a group has lost the tag by which it is managed, and keeps its hooks": {
    options: {
      group: "workers-2",
      synthesised: onCallStack({ groupTag: { key: "drained", value: "yes" } }),
    },
    async breaking(site) {
      const { out: doctor } = await site.run("doctor", "sample");
      await asDoctorSays("hooks")(site, { doctor, status: "" });
      const Tags = [
        { ResourceId: "workers-2", ResourceType: "auto-scaling-group", Key: "drained" },
      ];
      await new AutoScalingClient().send(new DeleteTagsCommand({ Tags }));
    },
    says: {
      status:
        /^sample: 1 instance held, [\s\S]*this deployment does not manage group workers-2, so the function leaves the instance until its hook times out: `doctor` has the commands/m,
      doctor:
        /^broken {3}held instances: hook \S+ holds instance \S+ of group workers-2, which this deployment does not manage/m,
    },
    broken: ["hooks", "hooks", "held instances"],
    untrue: [...nobodyDrains, /resend i-\S+ --cluster sample`/],
    async remedy(site, { doctor }) {
      const remedy = remedyBelow(doctor, /^broken {3}held instances:/);
      const [, tag = "", resend = ""] =
        /^.*?: (.*), then (resend .*); if not: aws/.exec(remedy) ?? [];
      await doAsPrinted(tag, site);
      await site.run(...resend.split(" "));
    },
  },
  "an old dead letter is of an instance that is long gone": {
    instance: "in service",
    breaking: ({ deployment }) => {
      const body = JSON.stringify({
        LifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
        LifecycleHookName: hook,
        AutoScalingGroupName: "workers",
        EC2InstanceId: "i-0123456789abcdef0",
        LifecycleActionToken: "3f1c0d52-8a4e-4b0e-9f6d-5b7c2e91a604",
        Service: "AWS Auto Scaling",
        Time: "2026-01-01T00:00:00Z",
      });
      deployment
        .queue(id.deadLetters)
        .send({ body, senderId: "a", attributes: {}, traceHeader: "" });
    },
    says: {
      status: /^sample: 0 instances held, .* 1 dead letter$/m,
      doctor: /^note {5}dead letters: 1 message lies there$/m,
    },
    untrue: nobodyDrains,
    remedy: (site, { doctor }) =>
      site.run(...commandIn(remedyBelow(doctor, /^note +dead letters:/))),
  },
  "the mark of a termination that was cancelled is left": {
    instance: "in service",
    breaking: ({ cluster }) => {
      const annotations = {
        [markedAtAnnotation]: timestamp(instant(Date.now())),
        [cordonedAnnotation]: "true",
        ...causeAnnotations({ reason: "terminating", deadline: instant(Date.now() + 300_000) }),
      };
      cluster.store.update(itsNode, ({ metadata, spec, ...node }) => ({
        ...node,
        metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
        spec: { ...spec, unschedulable: true },
      }));
    },
    says: {
      status:
        /its instance stays \(InService\), so no drain goes on: if the mark stays for a minute, open it with `drain \S+ --undo --cluster sample`$/m,
    },
    untrue: [/no hook of this deployment holds its instance/, /deadline/, /the function drains it/],
    async remedy(site, { status }) {
      await site.run(...commandIn(status));
      const { metadata, spec } = site.cluster.store.get(itsNode);
      expect(spec.unschedulable ?? false).toBe(false);
      expect(metadata.annotations ?? {}).not.toHaveProperty([markedAtAnnotation]);
    },
  },
  "the last update of the stack was rolled back": {
    breaking: ({ records, amend }) => {
      const { StackId = "" } = records.stacks.get(stackName) ?? {};
      amend(records.stacks, stackName, { StackStatus: "UPDATE_ROLLBACK_COMPLETE" });
      const told = (
        LogicalResourceId: string,
        ResourceStatus: "UPDATE_FAILED" | "UPDATE_IN_PROGRESS",
      ) => ({
        StackId,
        StackName: stackName,
        EventId: LogicalResourceId,
        Timestamp: new Date(0),
        LogicalResourceId,
        ResourceStatus,
        ResourceStatusReason: "the code is not in the bucket",
        PhysicalResourceId: LogicalResourceId === stackName ? StackId : LogicalResourceId,
      });
      records.stackEvents.set(StackId, [
        told(id.function, "UPDATE_FAILED"),
        told(stackName, "UPDATE_IN_PROGRESS"),
      ]);
    },
    says: {
      status:
        /^broken stack: .* is UPDATE_ROLLBACK_COMPLETE: its last update failed and was rolled back: what runs is what ran before it \(.*: the code is not in the bucket\)\n {2}remedy: correct what the reason names, and deploy again/m,
      doctor: /^broken {3}stack: .* is UPDATE_ROLLBACK_COMPLETE/m,
    },
    broken: ["stack"],
    untrue: [/nothing that works/, /faults of the last hour/],
    remedy: ({ records, amend }) =>
      amend(records.stacks, stackName, { StackStatus: "UPDATE_COMPLETE" }),
  },
};

describe("on call, two commands show the cause and the way out where", () => {
  it.each(Object.entries(troubles))("%s", (_, trouble) => handled(trouble));
});
