import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { inflateRawSync } from "node:zlib";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { afterAll, describe, expect, it } from "vitest";
import { verifyCommand } from "../../../cli/verify/verify-command.ts";
import { readClusterConfig } from "../../../lib/cluster-file/read-cluster-config.ts";
import { NodeLifecycleStack } from "../../../lib/node-lifecycle-stack.ts";
import { zip } from "../../../tools/generate/template/archive.ts";
import { isMap, type JsonMap } from "../../../tools/generate/template/json.ts";
import { parameters } from "../../../tools/generate/template/parameters.ts";
import { templateName, writeRelease } from "../../../tools/generate/template/release.ts";
import { capturedIo } from "../../cli/captured-io.ts";
import { calledAlike, isCheck } from "./called-alike.ts";
import { comparable, differences, isHook, likeIam, textIn } from "./differences.ts";
import { type Conditional, evaluated, refusals } from "./evaluated.ts";
import { fiveClusters, type TwiceSaid } from "./five-clusters.ts";
import { toldDifferences } from "./told-differences.ts";

const folder = join(mkdtempSync(join(tmpdir(), "any-cluster-")), "release");
const released = writeRelease(folder);
const template = JSON.parse(readFileSync(join(folder, templateName), "utf8")) as JsonMap &
  Conditional;
afterAll(() => rmSync(dirname(folder), { recursive: true }));

/** What the template makes of its parameters. */
const launched = ({ values, region }: TwiceSaid) => evaluated(template, values, region);

/** What the construct makes of the file of the same cluster. */
function constructed({ file, region }: TwiceSaid) {
  const config = readClusterConfig(JSON.stringify(file), "the file");
  const app = new App({ context: { assetsBucket: `code-${region}` } });
  const stack = new NodeLifecycleStack(app, "AnyCluster", config);
  const made = Template.fromStack(stack).toJSON() as Pick<Conditional, "Outputs" | "Resources">;
  return evaluated({ Parameters: {}, Conditions: {}, ...made }, {}, region);
}

/** What every resource comes after, be it said as CloudFormation's dependency or in the metadata. */
const dependencies = (resources: Readonly<Record<string, JsonMap>>) =>
  Object.fromEntries(
    Object.entries(resources)
      .filter(([id, resource]) => !isHook(id, resource) && !isCheck(id))
      .map(([id, { DependsOn = [], Metadata }]) => {
        const told =
          isMap(Metadata) && Array.isArray(Metadata["DependsOn"]) ? Metadata["DependsOn"] : [];
        const referred = told.map((one) => (isMap(one) ? one["Ref"] : one));
        const all = [DependsOn, referred].flat(2).map(String);
        return [id, all.filter((one) => !isCheck(one)).sort()];
      }),
  );

describe.each(fiveClusters)("the template for $about", (cluster) => {
  const own = launched(cluster);
  const other = constructed(cluster);

  it("equals what the construct makes, resource by resource", () => {
    expect(comparable(own.Resources)).toEqual(comparable(other.Resources));
  });

  it("makes each resource after the same others", () => {
    expect(dependencies(own.Resources)).toEqual(dependencies(other.Resources));
  });

  it("has the same outputs", () => {
    const read = (outputs: JsonMap) => likeIam(calledAlike(outputs));
    expect(read(own.Outputs)).toEqual(read(other.Outputs));
  });

  it("ends with the command that tries the deployment, which takes these options", () => {
    const told = textIn(own.Outputs["VerifyCommand"]?.["Value"] ?? "");
    const its = `${cluster.values["ClusterName"]} --region ${cluster.region}`;
    expect(told).toBe(`npx eks-node-lifecycle verify ${its} --stack * --group GROUP`);
    const { options } = verifyCommand(capturedIo(), () => undefined);
    expect(options.map(({ long }) => long)).toEqual(
      expect.arrayContaining(told.match(/--\w+/g) ?? []),
    );
  });

  it("has a function put the hooks that the construct makes", () => {
    const hooks = Object.values(other.Resources).filter(
      ({ Type }) => Type === "AWS::AutoScaling::LifecycleHook",
    );
    const wanted = hooks.map(({ Properties }) => {
      const { DefaultResult, ...its } = Properties as JsonMap;
      expect(DefaultResult).toBe("CONTINUE");
      return its;
    });
    const asked = Object.values(own.Resources).flatMap(({ Type, Properties }) => {
      if (Type !== "Custom::EksNodeLifecycleHooks") return [];
      const its = Properties as JsonMap & { Groups: string[]; Hooks: JsonMap[] };
      return its.Groups.flatMap((group) =>
        its.Hooks.map(({ Name, Transition }) => ({
          AutoScalingGroupName: group,
          HeartbeatTimeout: its["Heartbeat"],
          LifecycleHookName: Name,
          LifecycleTransition: Transition,
          NotificationTargetARN: its["TopicArn"],
          RoleARN: its["RoleArn"],
        })),
      );
    });
    expect(asked).toEqual(expect.arrayContaining(wanted));
    expect(asked).toHaveLength(wanted.length);
  });
});

describe("the differences of the template from what the construct makes of a file", () => {
  const pairs = fiveClusters.map((cluster) => [launched(cluster), constructed(cluster)] as const);

  it.each(differences)(
    "are told on its page, and none is told that is not there: $name",
    ({ name }) => {
      expect(toldDifferences()).toContain(name);
      const differs = pairs.some(
        ([own, other]) =>
          !isDeepStrictEqual(comparable(own.Resources, name), comparable(other.Resources, name)),
      );
      expect(differs).toBe(true);
    },
  );
});

describe("the template for any cluster", () => {
  const text = JSON.stringify(template);

  it("evicts nothing unless somebody asks for it, and says in its outputs whether it does", () => {
    const [quiet] = fiveClusters.filter(({ values }) => !("DrainMode" in values)).map(launched);
    const [evicting] = fiveClusters
      .filter(({ values }) => values["DrainMode"] === "evict")
      .map(launched);
    const modes = (of = quiet) => [
      of?.Outputs["DrainMode"]?.["Value"],
      ...Object.values(of?.Resources ?? {})
        .filter(({ Type }) => Type === "AWS::Lambda::Function")
        .flatMap(
          ({ Properties }) => /"DRAIN_MODE":"([^"]*)"/.exec(JSON.stringify(Properties))?.[1] ?? [],
        ),
    ];
    expect(new Set(modes())).toEqual(new Set(["dry-run"]));
    expect(new Set(modes(evicting))).toEqual(new Set(["evict"]));
    expect(modes().length).toBeGreaterThan(1);
  });

  it("has nothing left in it of the files that it was made of", () => {
    const all = Object.values(parameters).flat();
    for (const { kind, placeholder } of all)
      if (kind === "list" || kind === "text") expect(text).not.toContain(placeholder);
    expect(text).not.toContain("any-north-1");
  });

  it("uses every parameter, and knows every condition", () => {
    const { Parameters, Conditions } = template;
    for (const name of Object.keys(Parameters)) expect(text).toContain(`{"Ref":"${name}"}`);
    const used = [...text.matchAll(/"(?:Condition":|Fn::If":\[)"(\w+)"/g)].map(([, name]) => name);
    expect(new Set(used)).toEqual(new Set(Object.keys(Conditions)));
  });

  const rules = template["Rules"] as Readonly<Record<string, JsonMap>>;
  const groups = "Name Auto Scaling groups in GroupNames, or set GroupsByTag to on";
  const templates =
    "Upgrades of on needs the groups' launch templates in LaunchTemplateIds, or set Upgrades to off";
  const secret = "Webhook needs the secret with its URL in WebhookSecretArn, or set Webhook to off";
  const kept = "ABANDON needs DrainForce of never";
  const roles =
    "Name the roles of the nodes in NodeRoleArns: no others may be registered in the cluster";
  const named = { NodeRoleArns: "arn:aws:iam::123456789012:role/nodes" };
  const tagged = { GroupsByTag: "on", ...named };
  const dry =
    "With DrainMode of dry-run RepairMode has to be dry-run too, or set DrainMode to evict";

  it.each([
    { values: named, says: [groups] },
    { values: { GroupsByTag: "on", NodeRoleArns: "" }, says: [roles] },
    { values: { ...tagged, Upgrades: "on" }, says: [templates] },
    { values: { ...tagged, Webhook: "json" }, says: [secret] },
    { values: { ...tagged, DrainResultAtDeadline: "ABANDON" }, says: [kept] },
    { values: { ...tagged, Repairs: "on" }, says: [dry] },
    { values: { ...tagged, Repairs: "on", RepairMode: "dry-run" }, says: [] },
    { values: { ...tagged, Repairs: "on", DrainMode: "evict" }, says: [] },
    { values: tagged, says: [] },
    ...fiveClusters.map(({ values }) => ({ values, says: [] })),
  ])("says $says to the parameters $values", ({ values, says }) => {
    expect(refusals(template, rules, values)).toEqual(says);
  });

  it("has no macro, which the stack sets of an organisation do not take", () => {
    expect(template).not.toHaveProperty("Transform");
    expect(text).not.toContain("Fn::Transform");
    expect(text).not.toContain("Fn::ForEach");
  });

  it("fits into what CloudFormation takes", () => {
    expect(text.length).toBeLessThan(1_000_000);
    expect(Object.keys(template.Resources).length).toBeLessThan(500);
    expect(Object.keys(template.Parameters).length).toBeLessThan(200);
  });

  it.each([
    { of: "Node", most: 60 },
    { of: "Upgrade", most: 9 },
    { of: "Repair", most: 9 },
  ])("has room for $most groups in the policy of role $of, as it says", ({ of, most }) => {
    const names = Array.from({ length: most }, (_, at) => `eks-workers-of-team-${at}`);
    const everything = fiveClusters.find(({ values }) => values["Repairs"] && values["Upgrades"]);
    const values = { ...everything?.values, GroupNames: names.join(",") };
    const { Resources } = evaluated(template, values, "eu-west-1");
    const sizes = Object.entries(Resources)
      .filter(([id]) => id.includes(`${of}RoleDefaultPolicy`))
      .map(
        ([, { Properties }]) => JSON.stringify((Properties as JsonMap)["PolicyDocument"]).length,
      );
    expect(sizes).toHaveLength(1);
    expect(sizes[0]).toBeLessThan(10_240 - 600); // the policy of the network fence is the role's too
  });
});

/** The files of an archive, by the entries that stand before them. */
function unpacked(archive: Buffer): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  let at = 0;
  while (archive.readUInt32LE(at) === 0x04034b50) {
    const [packed, length] = [archive.readUInt32LE(at + 18), archive.readUInt16LE(at + 26)];
    const begin = at + 30 + length;
    const content = inflateRawSync(archive.subarray(begin, begin + packed));
    expect(content).toHaveLength(archive.readUInt32LE(at + 22));
    files.set(archive.toString("utf8", at + 30, begin), content.toString());
    at = begin + packed;
  }
  return files;
}

describe("a release", () => {
  it("has the code that the template asks for, and lists what is in it", () => {
    const keys = [...JSON.stringify(template).matchAll(/"S3Key":"([^"]+)"/g)].map(([, key]) => key);
    const archives = released.filter((name) => name.endsWith(".zip"));
    expect(archives.sort()).toEqual([...new Set(keys)].sort());
    expect(released.filter((name) => name.endsWith(".cdx.json"))).toHaveLength(6);
    expect(readdirSync(folder).sort()).toEqual([...released].sort());
    const codes = archives.map((name) => unpacked(readFileSync(join(folder, name))));
    for (const name of ["access", "hooks", "node", "repair", "upgrade", "webhook"]) {
      const built = readFileSync(join("dist", name, "index.cjs"), "utf8");
      expect(codes.filter((files) => files.get("index.cjs") === built)).toHaveLength(1);
    }
  });

  it("has each of its files on the page about releases, besides the package", () => {
    const page = readFileSync("docs/development/releases.md", "utf8");
    for (const name of released) {
      const told = name.replace(/^[0-9a-f]{64}/, "HASH").replace(/^.*(?=\.cdx)/, "NAME");
      expect(page).toContain(`\`${told}\``);
    }
  });

  it("has a dashboard for whichever Region it is deployed to", () => {
    const file = join(folder, "eks-node-lifecycle-dashboard.template.json");
    const { Resources, ...others } = JSON.parse(readFileSync(file, "utf8")) as Conditional;
    const [dashboard, ...more] = Object.values(Resources);
    expect(more).toEqual([]);
    expect(Object.keys(others)).toEqual(["Description"]);
    expect(dashboard).toMatchObject({
      Properties: {
        DashboardName: { "Fn::Join": ["", ["EksNodeLifecycleDashboard-", { Ref: "AWS::Region" }]] },
      },
    });
  });

  it("has a checksum of each file but its own", () => {
    const sums = readFileSync(join(folder, "SHA256SUMS"), "utf8").trim().split("\n");
    const own = released
      .filter((name) => name !== "SHA256SUMS")
      .map((name) => {
        const hash = createHash("sha256").update(readFileSync(join(folder, name)));
        return `${hash.digest("hex")}  ${name}`;
      });
    expect(sums).toEqual(own);
  });

  it("packs the same files into the same archive, in whatever order they come", () => {
    const files = ["b.cjs", "a.cjs"].map((name) => ({ name, content: Buffer.from(`of ${name}`) }));
    const archive = zip(files);
    expect(zip(files.toReversed())).toEqual(archive);
    expect([...unpacked(archive)]).toEqual([
      ["a.cjs", "of a.cjs"],
      ["b.cjs", "of b.cjs"],
    ]);
  });
});
