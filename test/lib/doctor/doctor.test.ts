import { describe, expect, it } from "vitest";
import { doctorActions } from "../../../cli/doctor/doctor-command.ts";
import { productVersion } from "../../../lambda/base/contract.ts";
import { minutes } from "../../../lambda/base/time.ts";
import { appliedBy, id, only } from "./broken-links/break.ts";
import { clusterBreaks } from "./broken-links/cluster.ts";
import { functionBreaks } from "./broken-links/function.ts";
import { noticeBreaks } from "./broken-links/notices.ts";
import { watchingBreaks } from "./broken-links/watching.ts";
import { actionsAsked, aDoctorSite, examined, stackName } from "./doctor-site.ts";

const breaks = { ...clusterBreaks, ...noticeBreaks, ...functionBreaks, ...watchingBreaks };

const table = Object.entries(breaks).flatMap(([link, ways]) =>
  ways.map((way) => [link, way.how, way] as const),
);

describe("doctor", () => {
  it("says that all is well of a stack as it is deployed", async () => {
    await aDoctorSite();

    expect(await examined()).toMatchObject({
      code: 0,
      broken: [],
      unknown: [],
      line: "sample: 28 of 28 links are well",
    });
  });

  it.each([
    ["by hand from this version", { "eks-node-lifecycle/owner-by-hand": productVersion }],
    [
      "by hand once, and by a stack since",
      { "eks-node-lifecycle/owner-by-hand": "0.0.9", "eks-node-lifecycle/owner-1": "a stack" },
    ],
  ])("finds rights well that somebody has applied %s", async (_, annotations) => {
    appliedBy(annotations)(await aDoctorSite());

    expect(await examined()).toMatchObject({ code: 0, broken: [] });
  });

  it("leaves alone the hooks of others that hold an instance longer, or give up launches", async () => {
    const { aws } = await aDoctorSite();
    const beat = { heartbeat: minutes(5) };
    const [leaving, coming] = ["TERMINATING", "LAUNCHING"] as const;
    aws.autoScaling.putHook("workers", {
      ...beat,
      name: "longer",
      transition: `autoscaling:EC2_INSTANCE_${leaving}`,
      defaultResult: "CONTINUE",
    });
    aws.autoScaling.putHook("workers", {
      ...beat,
      name: "launches",
      transition: `autoscaling:EC2_INSTANCE_${coming}`,
      defaultResult: "ABANDON",
    });

    expect(await examined()).toMatchObject({ code: 0, broken: [] });
  });

  it("finds broken a managed group that belongs to a service, and asks for no hook of it", async () => {
    const { aws } = await aDoctorSite();
    const { register } = aws.autoScaling;
    const theirs = register.findGroup("workers");
    register.put({ ...theirs, hooks: [], operator: "batch.amazonaws.com" });

    const { code, links } = await examined();

    expect(code).toBe(3);
    expect(links.filter(({ link, state }) => link === "hooks" && state === "broken")).toMatchObject(
      [
        {
          found: expect.stringMatching(/^group workers belongs to the service batch.amazonaws.com/),
          remedy: expect.stringMatching(/^take workers out of "groups" in the cluster's file/),
        },
      ],
    );
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
    expect(await actionsAsked(await aDoctorSite())).toEqual(doctorActions.toSorted());
  });

  it("calls unknown what it may not read of the cluster, and tells the rest", async () => {
    await aDoctorSite({ rights: [] });

    const { code, broken, unknown, links } = await examined();

    expect({ code, broken, unknown }).toEqual({
      code: 1,
      broken: [],
      unknown: ["rbac", "fences", "node versions"],
    });
    expect(links).toContainEqual(
      expect.objectContaining({
        remedy: expect.stringContaining("may create subjectaccessreviews"),
      }),
    );
  });

  it("notes which nodes the next version does not take, and that does not break the way of a notice", async () => {
    const al2 = { kubeletVersion: "v1.32.9", osImage: "Amazon Linux 2" };
    await aDoctorSite({
      populate: ({ cluster }) => {
        cluster.addNode({ name: "old", labels: { "karpenter.sh/nodepool": "spot" }, ...al2 });
        cluster.addNode({ name: "new" });
      },
    });

    const { code, links } = await examined();

    expect(code).toBe(0);
    expect(links.filter(({ link }) => link === "node versions")).toMatchObject([
      {
        state: "ok",
        found:
          "the control plane has 1.36, when its support ends is not in the calendar that was read on 2026-04-24; without a group: 1 node with a kubelet newer than 1.35: they hold a rollback to 1.35",
      },
      {
        state: "note",
        found: "spot: 1 node with a kubelet more than 3 minor versions older than 1.37",
      },
      { state: "note", found: expect.stringMatching(/^spot: 1 node on Amazon Linux 2/) },
    ]);
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
    aws.records.stacks.delete(stackName);

    const { code, states, links, line } = await examined();

    expect(code).toBe(3);
    expect(states("ok")).toEqual([
      "credentials",
      "cluster",
      "API server",
      "clock",
      "node versions",
    ]);
    expect(states("absent")).toHaveLength(23);
    const others = links.filter(({ link, state }) => state === "absent" && link !== "stack");
    expect(new Set(others.map(({ found }) => found))).toEqual(new Set(["not deployed"]));
    expect(line).toBe("sample: 23 absent, 5 of 28 links are well");
  });
});
