import { describe, expect, it } from "vitest";
import { doctorActions } from "../../../cli/doctor/doctor-command.ts";
import { repairActions } from "../../../cli/status/status-command.ts";
import { bookmarkTags } from "../../../lambda/upgrade/bookmark-tags.ts";
import { admissionPolicies } from "../../../sandbox/kubernetes/admission-resources.ts";
import { aBookmark } from "../../upgrade/upgrade-builders.ts";
import {
  actionsAsked,
  aDoctorSite,
  type DoctorSite,
  examined,
  idOf,
  sampleWith,
} from "./doctor-site.ts";

const synthesised = sampleWith({ repairs: "on" });
const named = (type: string, id: RegExp) => idOf(`AWS::${type}`, id, synthesised);
const id = {
  function: named("Lambda::Function", /RepairFunction/),
  mapping: named("Lambda::EventSourceMapping", /Repair/),
  queue: named("SQS::Queue", /RepairsPassesQueue/),
  role: named("IAM::Role", /RepairRole/),
  schedule: named("Events::Rule", /RepairsSchedule/),
};

const denying =
  (denied: string) =>
  ({ aws }: DoctorSite): void => {
    const others = aws.authorize;
    aws.authorize = (request) =>
      request.action === denied && request.principal.includes(id.role) ? "denied" : others(request);
  };

type Break = (site: DoctorSite) => unknown;
const breaks: readonly (readonly [how: string, says: RegExp, breaking: Break])[] = [
  [
    "the function is deleted",
    /repair function is not there/,
    ({ records }) => records.functions.delete(id.function),
  ],
  [
    "the function has failed",
    /RepairFunction.* is Failed/,
    ({ records, amend }) => amend(records.functions, id.function, { State: "Failed" }),
  ],
  [
    "the schedule is disabled",
    /RepairsSchedule.* is DISABLED/,
    ({ records, amend }) => {
      const { rule } = records.rules.get(id.schedule) ?? { rule: {} };
      amend(records.rules, id.schedule, { rule: { ...rule, State: "DISABLED" } });
    },
  ],
  [
    "the schedule notifies another queue",
    /RepairsSchedule.* does not notify queue .*RepairsPassesQueue/,
    ({ records, amend }) =>
      amend(records.rules, id.schedule, {
        targets: [{ Id: "Target0", Arn: "arn:aws:sqs:eu-west-1:123456789012:other" }],
      }),
  ],
  [
    "the schedule is deleted",
    /rule .*RepairsSchedule.* is not there/,
    ({ records }) => records.rules.delete(id.schedule),
  ],
  [
    "the queue's policy lets the schedule send no more",
    /policy of queue .*RepairsPassesQueue.* does not let rule .*RepairsSchedule.* send/,
    ({ records, amend }) => amend(records.queues, id.queue, { Policy: "" }),
  ],
  [
    "the mapping is disabled",
    /is Disabled, so the function gets no notice/,
    ({ records, amend }) => amend(records.mappings, id.mapping, { State: "Disabled" }),
  ],
  [
    "the role may not declare an instance unhealthy",
    /do not allow autoscaling:SetInstanceHealth on/,
    denying("autoscaling:SetInstanceHealth"),
  ],
  [
    "the role may not reboot an instance",
    /do not allow ec2:RebootInstances on/,
    denying("ec2:RebootInstances"),
  ],
  [
    "the role may not write down a repair",
    /do not allow autoscaling:CreateOrUpdateTags on/,
    denying("autoscaling:CreateOrUpdateTags"),
  ],
  [
    "the role may not ask whether load balancers still send requests to a node that it drains",
    /do not allow elasticloadbalancing:DescribeTargetHealth on/,
    denying("elasticloadbalancing:DescribeTargetHealth"),
  ],
];

describe("doctor, of a stack with upgrades", () => {
  const upgraded = sampleWith({ upgrades: "on" });
  const its = idOf("AWS::Lambda::Function", /UpgradeFunction/, upgraded);

  it("names a deleted upgrade function, and how it comes back", async () => {
    const { records } = await aDoctorSite({ synthesised: upgraded });
    records.functions.delete(its);

    const { code, links, broken } = await examined();

    expect({ code, broken }).toEqual({ code: 3, broken: ["upgrades"] });
    expect(links.filter(({ link }) => link === "upgrades")).toMatchObject([
      {
        found: "the upgrade function is not there, although the stack has it",
        remedy: expect.stringContaining("deploy it again"),
      },
    ]);
  });
});

describe("doctor, of a stack with upgrades whose messages do not arrive", () => {
  const upgraded = sampleWith({ upgrades: "on" });
  const its = {
    function: idOf("AWS::Lambda::Function", /UpgradeFunction/, upgraded),
    mapping: idOf("AWS::Lambda::EventSourceMapping", /Upgrade/, upgraded),
  };

  it("says that all is well as it is deployed", async () => {
    await aDoctorSite({ synthesised: upgraded });
    expect(await examined()).toMatchObject({ code: 0, broken: [], unknown: [] });
  });

  it("names an upgrade that nobody looks at, where it may not read the mapping", async () => {
    const tags = { ...bookmarkTags(aBookmark()), "eks-node-lifecycle/upgrade": "nonsense" };
    const { aws } = await aDoctorSite({ synthesised: upgraded, tags });
    const others = aws.authorize;
    aws.authorize = (request) =>
      request.action === "lambda:GetEventSourceMapping" ? "denied" : others(request);

    const { links } = await examined();

    expect(links.filter(({ link }) => link === "upgrades")).toMatchObject([
      { state: "broken", found: expect.stringContaining("the upgrade of workers cannot be read") },
    ]);
  });

  it.each<readonly [how: string, says: RegExp, breaking: Break]>([
    [
      "the mapping has a filter",
      /has a filter, and deletes what does not fit it/,
      ({ records, amend }) =>
        amend(records.mappings, its.mapping, {
          FilterCriteria: { Filters: [{ Pattern: '{"body":{"never":["x"]}}' }] },
        }),
    ],
    [
      "the mapping is disabled",
      /is Disabled, so the function gets no notice/,
      ({ records, amend }) => amend(records.mappings, its.mapping, { State: "Disabled" }),
    ],
    [
      "the mapping lets the function work on all batches at the same time",
      /lets the function work on 1000 batches at the same time, not on 2/,
      ({ records, amend }) =>
        amend(records.mappings, its.mapping, { ScalingConfig: { MaximumConcurrency: 1000 } }),
    ],
    [
      "the mapping calls another function",
      /gives notices to .*:other, not to .*UpgradeFunction/,
      ({ records, amend }) =>
        amend(records.mappings, its.mapping, {
          FunctionArn: "arn:aws:lambda:eu-west-1:123456789012:function:other",
        }),
    ],
    [
      "the mapping is deleted",
      /the event source mapping is not there/,
      ({ records }) => records.mappings.delete(its.mapping),
    ],
    [
      "the mapping reads another queue",
      /reads .*:other, not .*UpgradesCommandsQueue/,
      ({ records, amend }) =>
        amend(records.mappings, its.mapping, {
          EventSourceArn: "arn:aws:sqs:eu-west-1:123456789012:other",
        }),
    ],
    [
      "the function has failed",
      /UpgradeFunction.* is Failed/,
      ({ records, amend }) => amend(records.functions, its.function, { State: "Failed" }),
    ],
  ])("names exactly the upgrades as broken, where %s", async (_, says, breaking) => {
    await breaking(await aDoctorSite({ synthesised: upgraded }));

    const { code, links, broken, unknown } = await examined();

    expect({ code, broken, unknown }).toEqual({ code: 3, broken: ["upgrades"], unknown: [] });
    const said = links.filter(({ link }) => link === "upgrades");
    expect(said).toMatchObject([{ state: "broken", found: expect.stringMatching(says) }]);
  });
});

describe("doctor, of a stack with repairs", () => {
  it("says that all is well as it is deployed", async () => {
    await aDoctorSite({ synthesised });
    expect(await examined()).toMatchObject({
      code: 0,
      broken: [],
      unknown: [],
      line: "sample: 28 of 28 links are well",
    });
  });

  it.each(breaks)("names exactly the repairs as broken, where %s", async (_, says, breaking) => {
    await breaking(await aDoctorSite({ synthesised }));

    const { code, links, broken, unknown } = await examined();

    expect({ code, broken, unknown }).toEqual({ code: 3, broken: ["repairs"], unknown: [] });
    const said = links.filter(({ link }) => link === "repairs");
    expect(said).toMatchObject([{ state: "broken", found: expect.stringMatching(says) }]);
    expect(said[0]?.remedy).not.toBe("");
  });

  const entryOf = ({ aws }: DoctorSite) =>
    [aws.eks.findCluster("sample").entries, `arn:aws:iam::123456789012:role/${id.role}`] as const;

  it.each<[string, RegExp, Break]>([
    [
      "is deleted",
      /does not admit role .*RepairRole/,
      (site) => {
        const [entries, arn] = entryOf(site);
        entries.delete(arn);
      },
    ],
    [
      "has the node function's group",
      /RepairRole.* into eks-node-lifecycle, and not into eks-node-lifecycle-repairs/,
      (site) => {
        const [entries, arn] = entryOf(site);
        entries.update(arn, { username: undefined, groups: ["eks-node-lifecycle"] });
      },
    ],
  ])("names the access as broken, where the repair role's entry %s", async (_, says, breaking) => {
    await breaking(await aDoctorSite({ synthesised }));

    const { code, links, broken } = await examined();

    expect({ code, broken }).toEqual({ code: 3, broken: ["access"] });
    const [said] = links.filter(({ link }) => link === "access");
    expect(said?.found).toMatch(says);
    expect(said?.remedy).toContain("--kubernetes-groups eks-node-lifecycle-repairs");
  });

  it("names the rights as broken, where the binding of repairs is deleted", async () => {
    const keeps = ({ metadata: { name } }: { readonly metadata: { readonly name: string } }) =>
      name !== "eks-node-lifecycle-repairs";
    await aDoctorSite({ synthesised, keeps });

    const { code, links, broken } = await examined();

    expect({ code, broken }).toEqual({ code: 3, broken: ["rbac"] });
    expect(links.filter(({ link }) => link === "rbac")).toEqual([
      expect.objectContaining({
        found: expect.stringMatching(/^the repair function may not .*\w+, \w+ [\w.]+; /),
      }),
    ]);
  });

  it("names the fences as broken, where one does not know the group of repairs", async () => {
    const { cluster } = await aDoctorSite({ synthesised });
    const ref = { resource: admissionPolicies, name: "eks-node-lifecycle" };
    cluster.store.update(ref, (fence) => ({
      ...fence,
      spec: Object(
        JSON.parse(JSON.stringify(fence.spec).replaceAll("eks-node-lifecycle-repairs", "others")),
      ),
    }));
    expect(await examined()).toMatchObject({ code: 3, broken: ["fences"], unknown: [] });
  });

  it("makes every call that grantDoctor allows, and no other, when an instance of a group with a warm pool is ill", async () => {
    const { aws } = await aDoctorSite({ synthesised });
    const ill = { id: "i-0a4c1f92d6b83e570", zone: "eu-west-1a" };
    aws.ec2.run({ ...ill, privateIp: "10.0.0.9" });
    aws.autoScaling.attach({ ...ill, group: "workers" });
    const { register } = aws.autoScaling;
    const warmPool = { kind: "pool", state: "Stopped", onScaleIn: "terminate" } as const;
    register.put({ ...register.findGroup("workers"), warmPool });

    expect(await actionsAsked({ aws })).toEqual([...doctorActions, ...repairActions].toSorted());
  });
});
