import { describe, expect, it } from "vitest";
import { instanceId } from "../../lambda/base/ids.ts";
import { hours, minutes } from "../../lambda/base/time.ts";
import { meaningOf } from "../../lambda/upgrade/issues.ts";
import { blockedMarking, upgradeAnnotations } from "../../lambda/upgrade/node-marks.ts";
import { inOrder, stalenessOf } from "../../lambda/upgrade/old-instances.ts";
import { noPods } from "../../lambda/upgrade/pending-pods.ts";
import {
  descriptionOf,
  endingOf,
  refusals,
  refusedPool,
  type SetupFacts,
  tryVersionBefore,
  undoingOf,
} from "../../lambda/upgrade/setup.ts";
import { skewOf, unreadiness, versionOfParameter } from "../../lambda/upgrade/validation.ts";
import { isOutOfTime, tryBrake } from "../../lambda/upgrade/waits.ts";
import { anInstance, aScalingGroup, template } from "../group/group-builders.ts";
import { ago, noon } from "../support/builders.ts";
import { aBookmark, aGroupNode } from "./upgrade-builders.ts";

const aged = { begun: noon, maxAge: "any" } as const;
const targets = [{ template, version: 2 }];

it("a node says legibly which pods did not leave, whatever an API server has answered", () => {
  const left = [
    { about: "web-1", why: "denied: \u001b[31m" },
    { about: "", why: "x".repeat(2000) },
  ];
  const { annotations } = blockedMarking("0badcafe", { number: 1, begun: noon }, left);
  const text = annotations[upgradeAnnotations.blocked];
  expect(text).toMatch(/^0badcafe 1 web-1: denied: \\u001b\[31m; x{1,1000}$/);
});

describe("an instance is old", () => {
  const node = aGroupNode();

  it("when it was launched by another version, another template or a launch configuration", () => {
    const stale = (source: ReturnType<typeof anInstance>["source"]) =>
      stalenessOf({ source }, node, { targets, ...aged });

    expect(stale({ template, version: 1 })).toBe("version");
    expect(stale({ template: "lt-of-somebody", version: 2 })).toBe("version");
    expect(stale("configuration")).toBe("version");
    expect(stale({ template, version: 2 })).toBe("none");
  });

  it("unless an override of the mixed instances policy has launched it", () => {
    const overrides = [...targets, { template: "lt-arm", version: 7 }];
    const source = { template: "lt-arm", version: 7 };

    expect(stalenessOf({ source }, node, { targets: overrides, ...aged })).toBe("none");
  });

  it("when somebody says so on its node, or when it was too old at the begin", () => {
    const source = { template, version: 2 };
    const byHand = aGroupNode({ annotations: { "eks-node-lifecycle/replace": "" } });
    const oldest = { targets, begun: noon, maxAge: hours(24) };

    expect(stalenessOf({ source }, byHand, { targets, ...aged })).toBe("by-hand");
    const created = (by: number) => aGroupNode({ created: ago(hours(by)) });
    expect(stalenessOf({ source }, created(25), oldest)).toBe("age");
    expect(stalenessOf({ source }, created(23), oldest)).toBe("none");
    expect(stalenessOf({ source }, "absent", oldest)).toBe("none");
  });
});

describe("the order of old nodes", () => {
  const candidates = ["a", "b", "c"].map((name, index) => ({
    instance: anInstance({ id: instanceId(name), zone: `eu-west-1${"cab"[index]}` }),
    node: aGroupNode({ name: aGroupNode().name, created: ago(hours(index)) }),
  }));
  const idsIn = (order: "oldest" | "random" | "zone", id = "0badcafe") =>
    inOrder(candidates, { id, order, pods: new Map() }).map(({ instance }) => instance.id);

  it("is by age or by zone as one wishes", () => {
    expect(idsIn("oldest")).toEqual(["c", "b", "a"]);
    expect(idsIn("zone")).toEqual(["b", "c", "a"]);
  });

  it("is by chance, the same in each pass, and another in another upgrade", () => {
    expect(idsIn("random")).toEqual(idsIn("random"));
    const orders = Array.from({ length: 30 }, (_, at) => idsIn("random", `${at}`).join());
    expect(new Set(orders).size).toBeGreaterThan(3);
  });

  it("begins with nodes that do nothing for anybody", () => {
    const [first, ...others] = candidates;
    const broken = others.map((one) => ({ ...one, node: aGroupNode({ readiness: "not-ready" }) }));
    const found = inOrder(first === undefined ? [] : [first, ...broken], {
      id: "x",
      order: "oldest",
      pods: new Map(),
    });

    expect(found.at(-1)?.instance.id).toBe("a");
  });
});

describe("a new node", () => {
  it("cannot take pods yet while it has no provider ID, by which drains find it", () => {
    const demands = { now: noon, bookmark: aBookmark(), server: "v1.33.4", startupTaints: [] };

    expect(unreadiness(aGroupNode({ providerId: "" }), demands)).toMatch(/has no provider ID$/);
    expect(unreadiness(aGroupNode(), demands)).toBe("");
  });
});

describe("a new node with startup taints", () => {
  it("cannot take pods yet while it has one of them, or one that begins so", () => {
    const taints = [{ key: "a.io/b", value: "", effect: "NoSchedule", timeAdded: "" }];
    const said = (startupTaints: readonly string[]) =>
      unreadiness(aGroupNode({ taints }), {
        now: noon,
        bookmark: aBookmark(),
        server: "v1.33.4",
        startupTaints,
      });

    for (const taint of ["a.io/b", "a.io/*"]) expect(said([taint])).toMatch(/the taint a\.io\/b$/);
    for (const taint of ["a.io/", "b.io/*"]) expect(said([taint])).toBe("");
  });
});

describe("the version of a kubelet", () => {
  it.each([
    ["v1.33.1-eks-1", "v1.33.4", ""],
    ["v1.30.0", "v1.33.4-eks-1", ""],
    ["v1.34.0", "v1.33.4", "newer than the control plane v1.33.4"],
    ["v1.29.9", "v1.33.4", "more than 3 minor versions older"],
    ["unknown", "v1.33.4", ""],
  ])("%s goes with the control plane %s or not: %s", (kubelet, server, said) => {
    const skew = skewOf(kubelet, server);

    if (said === "") expect(skew).toBe("");
    else expect(skew).toContain(said);
  });

  it.each([
    [
      "/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/standard/recommended/image_id",
      "1.33",
    ],
    ["/aws/service/bottlerocket/aws-k8s-1.34-nvidia/x86_64/latest/image_id", "1.34"],
    [
      "/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.32/image_id",
      "1.32",
    ],
    ["/team/golden-image", ""],
  ])("is told by the name of the parameter %s: %s", (parameter, version) => {
    expect(versionOfParameter(parameter)).toBe(version);
  });
});

describe("a failure of Auto Scaling", () => {
  const said = (message: string) => meaningOf({ at: noon, description: "Launching", message });

  it.each([
    [
      "There are not enough free addresses in subnet 'subnet-1'",
      "InsufficientFreeAddresses",
      "by itself",
    ],
    [
      "We currently do not have sufficient m6i.large capacity in the Availability Zone",
      "NodeCreationFailure",
      "by itself",
    ],
    [
      "You have requested more vCPU capacity than your current vCPU limit",
      "InstanceLimitExceeded",
      "by itself",
    ],
    ["The image id '[ami-1]' does not exist", "AmiIdNotFound", "never"],
    ["Invalid IamInstanceProfile: x", "IamInstanceProfileNotFound", "never"],
    ["You are not authorized to perform this operation", "AccessDenied", "never"],
    ["The subnet ID 'subnet-1' does not exist", "Ec2SubnetInvalidConfiguration", "never"],
    ["Something new", "AsgInstanceLaunchFailures", "by itself"],
  ])("means by its words what it means to a managed group: %s", (message, code, mends) => {
    expect(said(message)).toEqual({
      issue: { code, message: `Auto Scaling says: ${message}` },
      mends,
    });
  });
});

describe("an upgrade starts on further nodes", () => {
  const bookmark = aBookmark();

  it("unless too many nodes are not ready or too many pods wait for one", () => {
    const options = { ...bookmark.options, maxUnready: 1, maxPending: 5 };
    const limited = aBookmark({ options, before: { ...bookmark.before, pending: 10 } });

    const pods = (counted: number) => ({ ...noPods, counted, where: "16 of namespace shop" });
    expect(tryBrake(limited, { unready: 1, pending: pods(15) })).toBeUndefined();
    expect(tryBrake(limited, { unready: 2, pending: noPods })).toBe(
      "2 nodes are not ready, more than 1",
    );
    expect(tryBrake(limited, { unready: 0, pending: pods(16) })).toBe(
      "6 pods more than at the begin wait for a node, more than 5: 16 of namespace shop",
    );
  });

  it("only for so long as it may take", () => {
    const options = { ...bookmark.options, timeLimit: hours(1) } as const;

    expect(isOutOfTime(aBookmark({ options, begun: ago(minutes(59)) }), noon)).toBe(false);
    expect(isOutOfTime(aBookmark({ options, begun: ago(minutes(60)) }), noon)).toBe(true);
    expect(isOutOfTime(aBookmark({ begun: ago(hours(999)) }), noon)).toBe(false);
  });
});

describe("a group is refused", () => {
  const facts: SetupFacts = {
    group: aScalingGroup(),
    nodes: [aGroupNode()],
    refresh: "none",
    to: { kind: "as-it-is" },
    server: "v1.33.4",
  };
  const named = { template, version: 1 };
  const parameter =
    "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/image_id";

  it.each<[string, Partial<SetupFacts>, string]>([
    ["none of this", {}, ""],
    ["an instance refresh", { refresh: "active" }, "AutoScalingGroupInstanceRefreshActive"],
    [
      "suspended processes",
      { group: aScalingGroup({ suspended: ["Launch", "AlarmNotification"] }) },
      "suspended Launch of",
    ],
    [
      "a launch configuration",
      { group: aScalingGroup({ source: { kind: "configuration", name: "old" } }) },
      "give the group a launch template first",
    ],
    [
      "weights",
      {
        group: aScalingGroup({
          source: { kind: "mixed", template: named, overrides: [], weights: "some" },
        }),
      },
      "counts its sizes in weights",
    ],
    [
      "a managed node group",
      { group: aScalingGroup({ tags: { "eks:nodegroup-name": "ng" } }) },
      "which EKS upgrades itself",
    ],
    [
      "a service",
      { group: aScalingGroup({ operator: "eks.amazonaws.com" }) },
      "OperationNotPermitted group workers belongs to the service eks.amazonaws.com (its Operator)",
    ],
    [
      "Karpenter",
      { nodes: [aGroupNode({ labels: { "karpenter.sh/nodepool": "x" } })] },
      "belongs to Karpenter",
    ],
    ["a newer kubelet", { to: { kind: "parameter", parameter } }, "newer than the control plane"],
  ])("for %s", (_, change, said) => {
    const issues = refusals({ ...facts, ...change }).map(
      ({ code, message }) => `${code} ${message}`,
    );

    expect(issues).toEqual(said === "" ? [] : [expect.stringContaining(said)]);
  });

  it("for a warm pool of another version, and not for one of the same", () => {
    const instances = [anInstance({ state: "Warmed:Stopped" })];

    expect(refusedPool(aScalingGroup({ instances }), { template, version: 2 })).toHaveLength(1);
    expect(refusedPool(aScalingGroup({ instances }), { template, version: 1 })).toEqual([]);
    expect(
      refusedPool(aScalingGroup({ instances: [anInstance()] }), { template, version: 2 }),
    ).toEqual([]);
  });
});

describe("the version that a group launched by before its upgrade", () => {
  const making = { image: "ami-0123456789abcdef0", from: 3, upgrade: "0badcafe" };
  const found = (description: string) =>
    tryVersionBefore({ template, version: 4, image: making.image, description }, "0badcafe");

  it("is told by the version that the upgrade has made, and by no other one", () => {
    expect(found(descriptionOf(making))).toEqual({ template, version: 3 });
    expect(found(descriptionOf({ ...making, upgrade: "bbbbbbbb" }))).toBeUndefined();
    expect(found(undoingOf(making))).toBeUndefined();
    expect(found("from version 3 by hand")).toBeUndefined();
  });
});

describe("the version that a group names at the end", () => {
  const made = { template, version: 7 };

  it("is the one that was wanted, and moves on only where it did before", () => {
    expect(endingOf({ kind: "version", version: "$Default" }, 3, made)).toBe("$Default");
    expect(endingOf({ kind: "version", version: 7 }, "$Latest", made)).toBe(7);
    expect(endingOf({ kind: "as-it-is" }, "$Latest", made)).toBe("$Latest");
    expect(endingOf({ kind: "image", image: "ami-1" }, "$Latest", made)).toBe("$Latest");
    expect(endingOf({ kind: "image", image: "ami-1" }, "$Default", made)).toBe(7);
  });
});
