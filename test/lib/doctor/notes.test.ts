import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { hours } from "../../../lambda/base/time.ts";
import { capturedIo } from "../../cli/captured-io.ts";
import { folderForTest } from "../../cli/folder-for-test.ts";
import { jsonLines } from "../../cli/json-lines-schema.ts";
import { sample } from "../synthesised.ts";
import { id, topicArn } from "./broken-links/break.ts";
import { aDoctorSite, type DoctorSite, examined, sampleWith } from "./doctor-site.ts";

/** A group that nobody manages, with these tags. */
const anotherGroup = ({ aws }: DoctorSite, tags: Readonly<Record<string, string>>) =>
  aws.autoScaling.createGroup({
    name: "gpu",
    zones: ["eu-west-1a"],
    launches: "never",
    tags: Object.entries(tags).map(([key, value]) => ({ key, value, propagated: false })),
  });

const notesIn = ({ links }: Awaited<ReturnType<typeof examined>>) =>
  links.filter(({ state }) => state === "note");

describe("doctor notes what somebody may mean so", () => {
  it("a group of the cluster that nothing drains, with the way to have it drained", async () => {
    anotherGroup(await aDoctorSite(), { "kubernetes.io/cluster/sample": "owned" });

    const report = await examined();

    expect(report).toMatchObject({
      code: 0,
      broken: [],
      line: "sample: 28 of 28 links are well",
    });
    expect(notesIn(report)).toMatchObject([
      {
        link: "hooks",
        found: expect.stringMatching(
          /^group gpu has the tag kubernetes.io\/cluster\/sample, and nothing drains its nodes/,
        ),
        remedy:
          'if it should: add "gpu" to "groups" in the cluster\'s file, and deploy: npx cdk deploy -c cluster=sample',
      },
    ]);
  });

  it.each<["off" | "on", string]>([
    ["on", ""],
    ["off", "; nobody drains them, for events.capacityBlock is off"],
  ])("the instances of a group in a Capacity Block, and when it ends (%s)", async (rule, more) => {
    const synthesised = sampleWith({ events: { ...sample.events, capacityBlock: rule } });
    const { aws } = await aDoctorSite({ synthesised, granted: synthesised });
    const [instance, group] = ["i-0123456789abcdef0", "workers"];
    aws.ec2.run({
      id: instance,
      zone: "eu-west-1a",
      privateIp: "10.0.0.7",
      tags: { "aws:autoscaling:groupName": group },
    });
    const block = { type: "capacity-block", state: "active", instanceType: "p5.48xlarge" } as const;
    aws.ec2.reserve({ ...block, id: "cr-0123456789abcdef0", endsIn: hours(24) });
    aws.ec2.enterBlock(instance, "cr-0123456789abcdef0");

    const report = await examined();

    expect(report).toMatchObject({ code: 0, broken: [] });
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
    expect(notesIn(report)).toMatchObject([
      {
        link: "Capacity Blocks",
        found: expect.stringMatching(
          new RegExp(
            `^group ${group}: 1 instance in Capacity Block cr-0123456789abcdef0, which ends at ${time}; EC2 ends them from ${time} on, and their drains begin at ${time}${more}$`,
          ),
        ),
        remedy: expect.stringContaining(`have a scheduled action lower group ${group} before that`),
      },
    ]);
  });

  it("a right that no setting asks for any more, with the way to take it away", async () => {
    const all = sampleWith({ drain: { ...sample.drain, makeRoom: "on" } });
    const off = sampleWith({ drain: { ...sample.drain, makeRoom: "off" } });
    await aDoctorSite({ synthesised: off, granted: all });

    const report = await examined();

    expect(report).toMatchObject({ code: 0, broken: [] });
    expect(notesIn(report)).toMatchObject([
      {
        link: "rbac",
        found: expect.stringMatching(
          /^the function may .*patch pods.*, for which no setting asks$/,
        ),
        remedy: expect.stringContaining(
          "manifests sample --removed | kubectl delete --ignore-not-found -f -",
        ),
      },
    ]);
  });

  it("a group with the commands filled in, where a tag chooses the groups", async () => {
    const site = await aDoctorSite({
      synthesised: sampleWith({ groupTag: { key: "drained", value: "yes" } }),
    });
    anotherGroup(site, { "kubernetes.io/cluster/sample": "owned" });

    const [note] = notesIn(await examined());

    expect(note?.remedy).toContain(
      "--tags ResourceId=gpu,ResourceType=auto-scaling-group,Key=drained,Value=yes,",
    );
    for (const hook of ["Terminate", "Launch"])
      expect(note?.remedy).toContain(
        `put-lifecycle-hook --auto-scaling-group-name gpu --lifecycle-hook-name ${hook}-LC-Hook `,
      );
    expect(note?.remedy).toContain(`--notification-target-arn ${topicArn}`);
  });

  it.each([
    ["of another cluster", { "kubernetes.io/cluster/other": "owned" }],
    [
      "that EKS looks after",
      { "kubernetes.io/cluster/sample": "owned", "eks:nodegroup-name": "a" },
    ],
  ])("but no group %s", async (_, tags) => {
    anotherGroup(await aDoctorSite(), tags);

    expect(notesIn(await examined())).toEqual([]);
  });

  it("dead letters, with what becomes of those of instances that are gone", async () => {
    const { deployment } = await aDoctorSite();
    deployment
      .queue(id.deadLetters)
      .send({ body: "{}", senderId: "a", attributes: {}, traceHeader: "" });

    const report = await examined();

    expect(report.code).toBe(0);
    expect(notesIn(report)).toMatchObject([
      {
        link: "dead letters",
        found: "1 message lies there",
        remedy: expect.stringMatching(
          /`dead-letters sample --redrive` .* drops those of instances that are gone/,
        ),
      },
    ]);
  });

  it("what the cluster's file says and is not deployed: upgrades, repairs and settings", async () => {
    await aDoctorSite({ synthesised: sampleWith({ repairs: "on" }) });
    const cwd = folderForTest();
    mkdirSync(join(cwd, "clusters"));
    const { cluster, groups, nodeRoleArns, launchTemplateIds } = sample;
    const file = {
      cluster: { ...cluster, region: "eu-west-1" },
      groups,
      nodeRoleArns,
      launchTemplateIds,
      upgrades: "on",
      drain: { timeoutSeconds: 700 },
    };
    writeFileSync(join(cwd, "clusters", "sample.json"), JSON.stringify(file));
    const io = capturedIo({ cwd });

    await main(["doctor", "sample", "--json"], io);

    const [{ links = [] } = {}] = jsonLines(io) as unknown as readonly {
      readonly links?: readonly { readonly state: string; readonly found: string }[];
    }[];
    expect(links.filter(({ state }) => state === "note").map(({ found }) => found)).toEqual([
      "upgrades is on by clusters/sample.json, and off is deployed",
      "repairs is off by the file of sample, and on is deployed",
      expect.stringMatching(
        /^drain.timeoutSeconds is 700 by clusters\/sample.json, and \d+ is deployed/,
      ),
    ]);
  });
});
