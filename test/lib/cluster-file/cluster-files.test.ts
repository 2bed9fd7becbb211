import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Choice, clusterFiles } from "../../../lib/cluster-file/cluster-file.ts";
import { stackIds } from "../../../lib/cluster-file/stack-id.ts";
import { NodeLifecycleStack } from "../../../lib/node-lifecycle-stack.ts";
import { sample } from "../synthesised.ts";

const file = (name: string, more: object = {}, cluster: object = {}) => ({
  cluster: { ...sample.cluster, name, ...cluster },
  ...{ groups: ["workers"], nodeRoleArns: sample.nodeRoleArns, ...more },
});

/** A folder with these files, of which some are chosen. */
function filesIn(files: Readonly<Record<string, object>>, choice: Choice = {}) {
  const folder = join(mkdtempSync(join(tmpdir(), "clusters-")), "clusters");
  mkdirSync(folder);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(content));
  return clusterFiles(choice, folder);
}

const namesOf = (files: ReturnType<typeof filesIn>) => files.map(({ name }) => name);

describe("the files under those of clusters", () => {
  const files = {
    defaults: { drain: { timeoutSeconds: 600, mode: "dry-run" }, tags: { team: "platform" } },
    "defaults-123456789012": { drain: { timeoutSeconds: 700 }, alarms: { faults: "off" } },
    "defaults-eu-west-1": { drain: { timeoutSeconds: 800 } },
    a: file("a", { drain: { force: "never" } }, { account: "123456789012" }),
    b: file("b", { drain: { timeoutSeconds: 900 } }, { region: "us-east-1" }),
  };

  it("say what a cluster's file does not: its Region's before its account's, and that before all clusters'", () => {
    const [a, b] = filesIn(files).map(({ config }) => config);
    expect(a?.drain).toEqual({ timeoutSeconds: 800, mode: "dry-run", force: "never" });
    expect(a?.alarms).toMatchObject({ faults: "off", deadLetters: "on" });
    expect(b?.drain).toEqual({ timeoutSeconds: 900, mode: "dry-run" });
    expect(b?.alarms.faults).toBe("on");
    expect([a?.tags, b?.tags]).toEqual([{ team: "platform" }, { team: "platform" }]);
  });

  it("are told with each value that comes from them", () => {
    const [a] = filesIn(files);
    expect(a?.inherited).toEqual([
      { path: ["drain", "timeoutSeconds"], value: 800, file: "clusters/defaults-eu-west-1.json" },
      { path: ["drain", "mode"], value: "dry-run", file: "clusters/defaults.json" },
      { path: ["tags", "team"], value: "platform", file: "clusters/defaults.json" },
      { path: ["alarms", "faults"], value: "off", file: "clusters/defaults-123456789012.json" },
    ]);
  });

  it("have a list taken the place of, not made longer", () => {
    const [a] = filesIn({ defaults: { nodeRoleArns: ["x"], groups: ["y"] }, a: file("a") });
    expect(a?.config.groups).toEqual(["workers"]);
    expect(a?.inherited).toEqual([]);
  });

  it("are named where what they say does not fit", () => {
    const wrong = { defaults: { drain: { timeoutSeconds: 1 }, dreain: {} }, a: file("a") };
    expect(() => filesIn(wrong)).toThrow(
      /^clusters\/a\.json does not fit:\n {2}drain\.timeoutSeconds: expected .*, got 1 \(clusters\/defaults\.json\)\n {2}the file: there is no "dreain" \(did you mean "drain"\?\)$/,
    );
  });

  it("are no files of clusters, but a cluster may have a name like theirs", () => {
    const names = namesOf(filesIn({ ...files, "defaults-api": file("defaults-api") }));
    expect(names).toEqual(["a", "b", "defaults-api"]);
  });
});

describe("the clusters of a deployment", () => {
  const canary = { wave: "canary" };
  const files = {
    a: file("a", canary),
    b: file("b"),
    c: file("c", canary),
    sample: file("sample"),
  };

  it("are all with a file but the sample, unless somebody chooses", () => {
    expect(namesOf(filesIn(files))).toEqual(["a", "b", "c"]);
  });

  it("are those that somebody names, with commas between them", () => {
    expect(namesOf(filesIn(files, { cluster: "c,sample,c" }))).toEqual(["c", "sample"]);
    expect(() => filesIn(files, { cluster: "a,d" })).toThrow("there is no clusters/d.json");
    expect(() => filesIn(files, { cluster: "" })).toThrow("name a cluster with -c cluster=NAME");
    expect(() => filesIn({ sample: file("sample") })).toThrow("name a cluster");
  });

  it("are those of a wave", () => {
    expect(namesOf(filesIn(files, { wave: "canary" }))).toEqual(["a", "c"]);
    expect(namesOf(filesIn(files, { wave: "canary", cluster: "b,c" }))).toEqual(["c"]);
    expect(() => filesIn(files, { wave: "canry" })).toThrow(
      'no cluster is in wave "canry"; the waves are: canary',
    );
  });

  it("may have one name in two Regions, and each stack knows its account and Region", () => {
    const account = "123456789012";
    const two = filesIn({
      demo: file("demo"),
      "demo.us-east-1": file("demo", {}, { region: "us-east-1", account }),
    });
    const app = new App();
    const stacks = [...stackIds(two)].map(
      ([id, { config }]) => new NodeLifecycleStack(app, id, config),
    );
    expect(stacks.map(({ artifactId, stackName }) => [artifactId, stackName])).toEqual([
      ["EksNodeLifecycle-demo", "EksNodeLifecycle-demo"],
      ["EksNodeLifecycle-demo-us-east-1", "EksNodeLifecycle-demo"],
    ]);
    const { stacks: made } = app.synth();
    expect(made.map(({ environment: { region, account: its } }) => [region, its])).toEqual([
      ["eu-west-1", "unknown-account"],
      ["us-east-1", account],
    ]);
  });

  it("may not be one and the same in two files", () => {
    const two = filesIn({ demo: file("demo"), other: file("demo") });
    expect(() => stackIds(two)).toThrow(
      "clusters/demo.json and clusters/other.json are both for a cluster demo; clusters/demo.eu-west-1.json will do",
    );
  });
});
