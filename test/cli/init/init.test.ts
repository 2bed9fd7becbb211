import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AutoScalingGroup } from "@aws-sdk/client-auto-scaling";
import { describe, expect, it } from "vitest";
import { clusterFileOf } from "../../../cli/init/cluster-file-of.ts";
import { hclOf, remarksOnUnfit, withoutCdk } from "../../../cli/init/without-cdk.ts";
import { main } from "../../../cli/main.ts";
import type { Aws } from "../../../sandbox/aws/aws.ts";
import { putTags } from "../../../sandbox/aws/group-update.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { declared } from "../../../tools/generate/template/declared.ts";
import { parameters } from "../../../tools/generate/template/parameters.ts";
import { readHcl } from "../../docs/read-hcl.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite, tokenOf } from "../connect/a-site.ts";
import { folderForTest } from "../folder-for-test.ts";

const { group } = terminateAction;

interface Given {
  readonly ParameterKey: string;
  readonly ParameterValue: string;
}

/** Begins in an empty folder. */
async function begun(cwd: string, ...args: readonly string[]) {
  const io = capturedIo({ cwd });
  const code = await main(["init", ...args], io);
  return { code, out: io.out(), err: io.err(), path: join(cwd, "clusters", "demo.json") };
}

async function anAccount() {
  const site = await aSite({ broken: "budget-blocked" });
  own(site.aws, group);
  return site;
}

/** Gives a group the tag of the cluster. */
const own = ({ autoScaling }: Aws, ResourceId: string): void =>
  putTags(autoScaling.register, [
    {
      ResourceId,
      ResourceType: "auto-scaling-group",
      Key: "kubernetes.io/cluster/demo",
      Value: "owned",
    },
  ]);

/** The file of a cluster with groups of these names. */
function fileWith(...names: readonly string[]) {
  const cluster = { name: "demo", arn: "arn:aws:eks:eu-west-1:123456789012:cluster/demo" };
  const groups = names.map((name) => ({ AutoScalingGroupName: name })) as AutoScalingGroup[];
  return clusterFileOf(cluster, { groups, nodeRoleArns: [], subnetIds: [] });
}

describe("init", () => {
  it("writes a file that deploys in dry run, says what a drain would meet, and every step from there", async () => {
    await anAccount();

    const { code, out, err, path } = await begun(folderForTest(), "demo");

    expect(code, err).toBe(0);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      cluster: { name: "demo" },
      groups: [group],
      drain: { mode: "dry-run" },
    });
    expect(out).toContain("clusters/demo.json written, in dry run\n");
    expect(out).toMatch(/budget demo\/nginx-demo/);
    expect(out.match(/^ {2}\d .*$/gm)).toEqual([
      "  5  npx cdk bootstrap -c cluster=demo",
      "  6  npx cdk deploy -c cluster=demo",
      `  7  aws autoscaling create-or-update-tags --tags ResourceId=${group},ResourceType=auto-scaling-group,Key=eks-node-lifecycle/drain-mode,Value=evict,PropagateAtLaunch=false`,
      `  8  npx eks-node-lifecycle verify demo --group ${group} --yes`,
    ]);
  });

  it("says that nothing is deployed yet, as it is the first time, and no error of AWS", async () => {
    const { aws } = await anAccount();
    aws.records.stacks.clear();

    const { code, out, err } = await begun(folderForTest(), "demo");

    expect(code, err).toBe(0);
    expect(out).toContain(
      "not deployed yet (no stack EksNodeLifecycle-demo): planned with the defaults\n",
    );
    expect(`${out}${err}`).not.toMatch(/aws\.refused|HTTP|does not exist/);
  });

  it("says what a drain would meet in the cluster of a kubeconfig too", async () => {
    const site = await anAccount();
    const kubeconfig = site.kubeconfig({ token: await tokenOf(site) });

    const { code, out, err } = await begun(folderForTest(), "demo", "--kubeconfig", kubeconfig);

    expect([code, err]).toEqual([0, expect.not.stringContaining("not planned")]);
    expect(out).toMatch(/budget demo\/nginx-demo/);
  });

  describe("without CDK", () => {
    const url =
      "https://platform-eu-west-1.s3.eu-west-1.amazonaws.com/eks-node-lifecycle.template.json";

    it("fills in each parameter that has to be given, for CloudFormation, Terraform and a browser", async () => {
      await anAccount();
      const folder = folderForTest();

      const { code, out, err } = await begun(folder, "demo", "--template", url);

      expect(code, err).toBe(0);
      const read = (file: string) => readFileSync(join(folder, file), "utf8");
      const written = JSON.parse(read("demo.parameters.json")) as readonly Given[];
      const given = Object.fromEntries(
        written.map(({ ParameterKey, ParameterValue }) => [ParameterKey, ParameterValue]),
      );
      expect(given).toMatchObject({
        ClusterName: "demo",
        GroupNames: group,
        DrainMode: "dry-run",
        AuthenticationMode: "CONFIG_MAP",
        CodeBucketPrefix: "platform",
      });
      const all = Object.values(parameters).flat();
      expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(given)));
      const needed = all.filter((one) => !("Default" in declared(one))).map(({ name }) => name);
      expect(Object.keys(given)).toEqual(expect.arrayContaining(needed));

      const { attributes } = readHcl(read("demo.tf"));
      expect(Object.fromEntries(attributes.get("parameters") as Map<string, unknown>)).toEqual(
        given,
      );
      expect(attributes.get("template_url")).toBe(url);

      const [, link = ""] = /or open (\S+)/.exec(out) ?? [];
      const query = new URLSearchParams(link.slice(link.lastIndexOf("?")));
      expect(query.get("templateURL")).toBe(url);
      for (const [name, value] of Object.entries(given))
        expect(query.get(`param_${name}`)).toBe(value);
      expect(out).toContain(
        "--parameters file://demo.parameters.json --capabilities CAPABILITY_IAM",
      );
      expect(existsSync(join(folder, "clusters"))).toBe(false);
    });

    it.each(["demo.parameters.json", "demo.tf"])("writes nothing over %s", async (name) => {
      await anAccount();
      const folder = folderForTest();
      writeFileSync(join(folder, name), "mine");

      const { code, err } = await begun(folder, "demo", "--template", url);

      expect(code).toBe(1);
      expect(err).toContain(`${name} is there already`);
      expect(readdirSync(folder)).toEqual([name]);
      expect(readFileSync(join(folder, name), "utf8")).toBe("mine");
    });

    it.each([
      [
        url.replaceAll("eu-west-1", "us-east-1"),
        "bucket platform-us-east-1 is not one for eu-west-1",
      ],
      ["https://example.com/a.json", "is not the URL of a template in a bucket"],
    ])("refuses the template at %s", async (other, complaint) => {
      await anAccount();
      const { code, err } = await begun(folderForTest(), "demo", "--template", other);
      expect(code).toBe(1);
      expect(err).toContain(complaint);
      expect(err).toContain(`such as ${url}`);
    });

    it("takes texts of others for no expressions of Terraform", () => {
      const named = { ...withoutCdk(fileWith("a"), url), stack: `a"\${file("x")}%{b}` };
      expect(hclOf(named)).toContain(`"a\\"$\${file(\\"x\\")}%%{b}"`);
    });

    it.each(["a,payments", 'a"b', "a\\b", "work*", "worker?", " a", "a ", `a\${b}`])(
      "leaves out a group with the name %j, which the form would not take, or take for others, and says so",
      (name) => {
        const file = fileWith("workers", name);
        expect(withoutCdk(file, url).parameters["GroupNames"]).toBe("workers");
        const [remark, ...others] = remarksOnUnfit(file);
        expect(remark).toContain(JSON.stringify(name));
        expect(remark).toContain("GroupsByTag");
        expect(others).toEqual([]);
      },
    );

    it("says on the terminal which group it leaves out", async () => {
      const { aws } = await anAccount();
      const odd = `${group},payments`;
      aws.autoScaling.createGroup({ name: odd, zones: ["eu-west-1a"] });
      own(aws, odd);
      const folder = folderForTest();

      const { code, err } = await begun(folder, "demo", "--template", url);

      expect(code).toBe(0);
      expect(err).toContain(`note: group "${odd}" is left out`);
      expect(readFileSync(join(folder, "demo.parameters.json"), "utf8")).not.toContain("payments");
    });
  });

  it("leaves a file alone that is there", async () => {
    await anAccount();
    const folder = folderForTest();
    const { path } = await begun(folder, "demo");
    const before = readFileSync(path, "utf8");

    const { code, err } = await begun(folder, "demo");

    expect(code).toBe(1);
    expect(err).toContain(
      "clusters/demo.json is there already; `init demo --update` brings it up to date",
    );
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("writes the file though the cluster cannot be read, and says so", async () => {
    const { cluster } = await anAccount();
    cluster.failNext({ plural: "nodes" }, { status: 403, body: "no" }, { times: 20 });

    const { code, err, path } = await begun(folderForTest(), "demo");

    expect(code).toBe(0);
    expect(err).toContain("not planned: ");
    expect(existsSync(path)).toBe(true);
  });
});
