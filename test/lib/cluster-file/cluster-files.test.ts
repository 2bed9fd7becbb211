import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Choice, clusterFiles } from "../../../lib/cluster-file/cluster-file.ts";
import { addStacks } from "../../../lib/fleet.ts";
import { sample } from "../synthesised.ts";

const file = (name: string, more: object = {}, cluster: object = {}) => ({
  cluster: { ...sample.cluster, name, ...cluster },
  groups: ["workers"],
  nodeRoleArns: sample.nodeRoleArns,
  ...more,
});

type Files = Readonly<Record<string, object>>;

/** A folder with these files. */
function folderOf(files: Files): string {
  const folder = join(mkdtempSync(join(tmpdir(), "clusters-")), "clusters");
  mkdirSync(folder);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(content));
  return folder;
}

/** Such a folder's files, of which some are chosen. */
const filesIn = (files: Files, choice: Choice = {}) => clusterFiles(choice, folderOf(files));

/** The stacks of such a folder's app: their ids, names, accounts and Regions, and what is told of each. */
function stacksIn(files: Files, choice: Choice = {}) {
  const app = new App();
  addStacks(app, choice, folderOf(files));
  return app.synth().stacks.map(({ id, stackName, environment, messages }) => ({
    id,
    stackName,
    region: environment.region,
    account: environment.account,
    told: messages.filter(({ level }) => level === "info").map(({ entry }) => entry.data),
  }));
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

  it("are told with each value, as the cluster's own file is", () => {
    const [a] = filesIn(files);
    const own = a?.said.filter(({ file }) => file === "clusters/a.json");
    expect(own).toContainEqual({
      path: ["drain", "force"],
      value: "never",
      file: "clusters/a.json",
    });
    expect(a?.said.filter((one) => own?.includes(one) !== true)).toEqual([
      { path: ["drain", "timeoutSeconds"], value: 800, file: "clusters/defaults-eu-west-1.json" },
      { path: ["drain", "mode"], value: "dry-run", file: "clusters/defaults.json" },
      { path: ["tags", "team"], value: "platform", file: "clusters/defaults.json" },
      { path: ["alarms", "faults"], value: "off", file: "clusters/defaults-123456789012.json" },
    ]);
  });

  it("have a list taken the place of, not made longer", () => {
    const [a] = filesIn({ defaults: { nodeRoleArns: ["x"], groups: ["y"] }, a: file("a") });
    expect(a?.config.groups).toEqual(["workers"]);
    expect(new Set(a?.said.map(({ file: from }) => from))).toEqual(new Set(["clusters/a.json"]));
  });

  it("are named where what they say does not fit", () => {
    const wrong = { defaults: { drain: { timeoutSeconds: 1 }, dreain: {} }, a: file("a") };
    expect(() => filesIn(wrong)).toThrow(
      /^clusters\/a\.json does not fit:\n {2}drain\.timeoutSeconds: expected .*, got 1 \(clusters\/defaults\.json\)\n {2}the file: there is no "dreain" \(did you mean "drain"\?\)$/,
    );
  });

  it("are not named for a key that only the cluster's file says", () => {
    const defaults = { drain: { timeoutSeconds: 800 } };
    const a = { ...file("a"), drain: { mod: "dry-run" } };
    expect(() => filesIn({ defaults, a })).toThrow(/\n {2}drain: there is no "mod".*"mode"\?\)$/);
  });

  it.each(["defaults-eu-west1", "defaults-eu-wset-1", "defaults-12345678901"])(
    "are refused by a name that is of no account and of no Region, whichever cluster is chosen: %s",
    (name) => {
      const wrong = { a: file("a"), [name]: { drain: { mode: "dry-run" } } };
      expect(() => filesIn(wrong, { cluster: "a" })).toThrow(
        `clusters/${name}.json stands under no cluster's file`,
      );
    },
  );

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

  it("leave an app for `cdk bootstrap` where there is none yet, which deploys nothing and says what to do", () => {
    const app = new App();
    addStacks(app, {}, folderOf({ sample: file("sample") }));
    const [stack, ...others] = app.synth().stacks;

    expect(others).toEqual([]);
    expect(stack?.environment).toMatchObject({ account: "unknown-account" });
    expect(stack?.messages.map(({ level, entry }) => [level, entry.data])).toEqual([
      ["error", expect.stringContaining("name a cluster with -c cluster=NAME")],
    ]);
    const named = () => addStacks(new App(), { cluster: "" }, folderOf({ sample: file("sample") }));
    expect(named).toThrow("name a cluster");
  });

  it("may be named with blanks around the commas", () => {
    expect(namesOf(filesIn(files, { cluster: " a, b " }))).toEqual(["a", "b"]);
  });

  it("are those of a wave", () => {
    expect(namesOf(filesIn(files, { wave: "canary" }))).toEqual(["a", "c"]);
    expect(namesOf(filesIn(files, { wave: "canary", cluster: "b,c" }))).toEqual(["c"]);
    expect(() => filesIn(files, { wave: "canry" })).toThrow(
      'no cluster is in wave "canry"; the waves are: canary',
    );
    expect(() => filesIn(files, { wave: "test", cluster: "a, b" })).toThrow(
      '-c cluster and -c wave have no cluster in common: none of those that are named is in wave "test" (a is in "canary", b is in no wave); leave one of the two out',
    );
  });

  it("may have one name in two Regions, and each stack knows its account and Region", () => {
    const account = "123456789012";
    const stacks = stacksIn({
      demo: file("demo"),
      "demo.us-east-1": file("demo", {}, { region: "us-east-1", account }),
    });
    const stackName = "EksNodeLifecycle-demo";
    expect(stacks).toMatchObject([
      { id: stackName, stackName, region: "eu-west-1", account: "unknown-account" },
      { id: `${stackName}-us-east-1`, stackName, region: "us-east-1", account },
    ]);
  });

  const account = "123456789012";
  const demo = file("demo", {}, { account });
  const elsewhere = file(
    "demo",
    { nodeRoleArns: ["arn:aws:iam::210987654321:role/nodes"] },
    { account: "210987654321" },
  );

  it.each<[files: Files, choice: Choice, told: string]>([
    ...[{}, { cluster: "bad" }, { cluster: "demo" }].map((choice): [Files, Choice, string] => [
      { bad: file("demo"), demo },
      choice,
      "are both for the cluster demo in eu-west-1; one file with all groups will do",
    ]),
    [
      { bad: file("demo"), demo: { cluster: { name: "demo", region: "eu-west-1" } } },
      { cluster: "bad" },
      "clusters/bad.json and clusters/demo.json are both for the cluster demo in eu-west-1",
    ],
    [
      { demo, "demo.eu-west-1": file("demo") },
      {},
      "clusters/demo.eu-west-1.json and clusters/demo.json are both for the cluster demo in eu-west-1",
    ],
    [
      { demo, other: file("demo", {}, { region: "us-east-1" }) },
      {},
      "clusters/demo.json and clusters/other.json are both for a cluster demo; clusters/demo.us-east-1.json will do as the name of the second",
    ],
    [
      { demo, other: elsewhere },
      {},
      "clusters/demo.json and clusters/other.json are both for a cluster demo in eu-west-1, in two accounts; deploy each by itself, as with -c cluster=demo",
    ],
    [
      { "demo.us-west-2": file("demo") },
      {},
      "clusters/demo.us-west-2.json is for a cluster in us-west-2 by its name, and says cluster.region of eu-west-1",
    ],
  ])("are refused where a deployment would take another's stack: %j, %j", (its, choice, told) => {
    expect(() => stacksIn(its, choice)).toThrow(told);
  });

  it("may have one name in two accounts, each deployed by itself, beside the sample and what cannot be read", () => {
    const folder = folderOf({ demo, other: elsewhere, sample: file("demo") });
    writeFileSync(join(folder, "bad.json"), "{");
    expect(clusterFiles({ cluster: "other" }, folder)).toHaveLength(1);
  });

  it("are not compared with the sample, nor is the sample with them", () => {
    const files = { sample: file("demo"), demo };
    for (const cluster of Object.keys(files)) expect(stacksIn(files, { cluster })).toHaveLength(1);
  });

  it("may have a file that begins with a byte order mark", () => {
    const folder = folderOf({});
    writeFileSync(join(folder, "demo.json"), `\ufeff${JSON.stringify(demo)}`);
    expect(clusterFiles({}, folder)).toHaveLength(1);
  });

  it.each([
    ["90,000 brackets", "[".repeat(90_000), "its brackets are more than 20 deep"],
    ["objects in each other", '{"a":'.repeat(100), "its brackets are more than 20 deep"],
    ["a text without an end", `"${'\\"'.repeat(49_000)}`, "is not JSON"],
    ["20,000 keys", JSON.stringify(manyKeys(20_000)), "it has more than 100000 characters"],
    ["a megabyte", `"${"a".repeat(1_000_000)}"`, "it has more than 100000 characters"],
    ["30,000 lines with an error in the last", `[${"1,\n".repeat(29_999)}x]`, "is not JSON"],
  ])("are refused by name and within a second where one has %s", (_, text, why) => {
    const folder = folderOf({ a: file("a") });
    writeFileSync(join(folder, "b.json"), text);
    const before = process.cpuUsage();
    expect(() => clusterFiles({}, folder)).toThrow(why);
    expect(() => clusterFiles({}, folder)).toThrow("b.json");
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
    expect(namesOf(clusterFiles({ cluster: "a" }, folder))).toEqual(["a"]);
  });

  it.each(["account", "region"])("are refused by name where the %s of one is no text", (key) => {
    const noText = { toString: 1, valueOf: 1 };
    const folder = folderOf({ a: file("a"), b: file("b", {}, { [key]: noText }) });
    expect(() => clusterFiles({ cluster: "b" }, folder)).toThrow(`cluster.${key}: expected`);
    expect(namesOf(clusterFiles({ cluster: "a" }, folder))).toEqual(["a"]);
  });

  it("have no values from a file of another folder that the region of one leads to", () => {
    const region = `/${"../".repeat(20)}${folderOf({ x: { secret: 1 } })}/x`;
    const folder = folderOf({ a: file("a", {}, { region }) });
    expect(() => clusterFiles({ cluster: "a" }, folder)).toThrow("cluster.region: expected");
    expect(() => clusterFiles({ cluster: "a" }, folder)).not.toThrow("secret");
  });

  it("may have brackets in their texts", () => {
    const tags = { team: `"\\${"[{".repeat(50)}` };
    expect(filesIn({ a: file("a", { tags }) })[0]?.config.tags).toEqual(tags);
  });

  it("are refused by name where a folder stands for a file", () => {
    const folder = folderOf({ demo });
    mkdirSync(join(folder, "bad.json"));
    expect(() => clusterFiles({ cluster: "bad" }, folder)).toThrow(
      /^clusters\/bad\.json cannot be read: it is a folder$/,
    );
    expect(clusterFiles({ cluster: "demo" }, folder)).toHaveLength(1);
  });

  it("are told with each value that comes from a file under theirs", () => {
    const [stack] = stacksIn({ defaults: { drain: { mode: "dry-run" } }, a: file("a") });
    expect(stack?.told).toEqual(['drain.mode is "dry-run" by clusters/defaults.json']);
  });
});

describe.each([
  { what: "dashboard", name: "EksNodeLifecycleDashboard" },
  { what: "encryptionKey", name: "EksNodeLifecycleKey" },
])("the $what of a Region", ({ what, name }) => {
  const region = { [what]: "region" };
  const account = "123456789012";
  const files = {
    a: file("a", region),
    b: file("b", region),
    c: file("c", region, { region: "us-east-1", account }),
    d: file("d", {}, { region: "us-east-2" }),
  };

  it("has a stack in each account and Region with a cluster that wants it", () => {
    const found = stacksIn(files).filter(({ stackName }) => !stackName.includes("-"));
    expect(found).toMatchObject([
      { id: `${name}-eu-west-1`, region: "eu-west-1" },
      { id: `${name}-us-east-1-${account}`, region: "us-east-1", account },
    ]);
  });

  it("is deployed by nobody who names clusters", () => {
    const names = stacksIn(files, { cluster: "a,b" }).map(({ stackName }) => stackName);
    expect(names).toEqual(["EksNodeLifecycle-a", "EksNodeLifecycle-b"]);
  });
});

it("deploys the key of a Region before each cluster that is encrypted with it", () => {
  const shared = { encryptionKey: "region" };
  const app = new App();
  const other = file("c", shared, { region: "us-east-1" });
  addStacks(app, {}, folderOf({ a: file("a", shared), b: file("b"), c: other }));
  const deployed = app
    .synth()
    .stacks.map(({ id, dependencies }) => [
      id,
      dependencies.flatMap((one) => (one.id.startsWith("EksNodeLifecycleKey") ? [one.id] : [])),
    ]);
  expect(Object.fromEntries(deployed)).toMatchObject({
    "EksNodeLifecycle-a": ["EksNodeLifecycleKey-eu-west-1"],
    "EksNodeLifecycle-b": [],
    "EksNodeLifecycle-c": ["EksNodeLifecycleKey-us-east-1"],
  });
});

describe("what no stack can be made of", () => {
  it.each([
    [
      { drain: { timeoutSeconds: 172_800 }, hooks: { heartbeatSeconds: 300 } },
      /^clusters\/a\.json: drain\.timeoutSeconds: expected .* all that a hook holds with hooks\.heartbeatSeconds=300, got "172800"$/,
    ],
    [
      { repairs: "on", repair: { everySeconds: 90 } },
      /^clusters\/a\.json: repairs come every 90 seconds by .*repair\.everySeconds.*; 120 will do$/,
    ],
  ])("is told with the file and the names in it: %j", (more, message) => {
    expect(() => stacksIn({ a: file("a", more) })).toThrow(message);
  });
});

const manyKeys = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
