import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { anyCluster } from "../../../tools/generate/template/any-cluster.ts";
import { archivesIn } from "../../../tools/generate/template/archive.ts";
import { isMap, type Json, type JsonMap } from "../../../tools/generate/template/json.ts";
import { toldRights } from "../told-rights.ts";
import { type Conditional, evaluated } from "./evaluated.ts";
import { fiveClusters } from "./five-clusters.ts";
import { StandIn } from "./stand-in.ts";

const folder = mkdtempSync(join(tmpdir(), "checked-"));
const template = anyCluster(folder) as JsonMap & Conditional;
const archives = new Map(archivesIn(folder));
afterAll(() => rmSync(folder, { recursive: true }));

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("base64");
const everything = fiveClusters.filter(({ values }) => values["Webhook"] && values["Upgrades"]);
const [{ values, region } = { values: {}, region: "" }] = everything;
const resourcesWith = (more: Readonly<Record<string, string>> = {}) =>
  evaluated(template, { ...values, ...more }, region).Resources;

const functions = Object.entries(template.Resources).filter(
  ([, { Type }]) => Type === "AWS::Lambda::Function",
);
const fromBucket = functions.filter(([id]) => id !== "CodePublisher").map(([id]) => id);

/** Where a value names a function itself, and not its alias: the ways there, and the key that it stands at. */
function placesOf(id: string, value: Json, way: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => placesOf(id, one, way));
  if (!isMap(value)) return [];
  const { Ref: ref, "Fn::GetAtt": of } = value;
  if (ref === id || (Array.isArray(of) && of[0] === id)) return [way];
  return Object.entries(value).flatMap(([key, one]) =>
    placesOf(id, one, key.startsWith("Fn::") ? way : key),
  );
}

describe("the code of the template for any cluster", () => {
  it("is named by the hash of each archive that a release has", () => {
    const hashes = Object.values(template.Resources).flatMap(({ Type, Properties }) => {
      if (Type !== "Custom::EksNodeLifecycleVersion" || !isMap(Properties ?? "")) return [];
      const { Archive, CodeSha256 } = Properties as Readonly<Record<string, string>>;
      return [[Archive, CodeSha256]];
    });
    expect(hashes).toHaveLength(8);
    const wanted = [...archives].map(([name, bytes]) => [name, sha256(bytes)]);
    expect(Object.fromEntries(hashes)).toEqual(Object.fromEntries(wanted));
  });

  it("has its versions published by a role that may do what docs/rights.md says, and no more", () => {
    const policies = Object.values(resourcesWith()).filter(
      ({ Type, Properties }) =>
        Type === "AWS::IAM::Policy" && JSON.stringify(Properties).includes('"CodePublisherRole"'),
    );
    const actions = policies.flatMap((policy) =>
      [...JSON.stringify(policy).matchAll(/"([a-z]+:[A-Z]\w+)"/g)].map(([, action]) => action),
    );
    expect([...new Set(actions)].toSorted()).toEqual(
      toldRights("function that publishes versions"),
    );
  });

  it("is called by its alias alone: nobody and nothing names a function itself", () => {
    const found = fromBucket.flatMap((id) =>
      Object.entries(template.Resources)
        .filter(([other]) => other !== `${id}Version` && other !== `${id}Alias`)
        .flatMap(([other, its]) =>
          placesOf(id, its["Properties"] ?? "", "").map((way) => ({
            way,
            type: other === `${id}Published` ? "publisher" : its["Type"],
          })),
        ),
    );
    const allowed: Readonly<Record<string, readonly string[]>> = {
      "AWS::CloudWatch::Alarm": ["Value"],
      "AWS::CloudWatch::Dashboard": ["DashboardBody"],
      "AWS::Lambda::EventInvokeConfig": ["FunctionName"],
      publisher: ["Resource"],
    };
    for (const { way, type } of found)
      expect(allowed[typeof type === "string" ? type : ""] ?? [], `${type}`).toContain(way);
    expect(new Set(found.map(({ type }) => type))).toEqual(new Set(Object.keys(allowed)));
    expect(JSON.stringify(template)).not.toContain("$LATEST");
  });

  it("is told with its alias in the outputs, so that commands read the settings that run", () => {
    for (const name of ["FunctionName", "UpgradeFunctionName", "RepairFunctionName"])
      expect(JSON.stringify(template.Outputs[name]?.["Value"])).toContain('":checked"');
  });

  it("has one function with its code in the template, which may publish versions and no more", () => {
    const inTemplate = functions.filter(([, its]) => JSON.stringify(its).includes("ZipFile"));
    expect(inTemplate.map(([id]) => id)).toEqual(["CodePublisher"]);
    const policies = Object.entries(template.Resources).filter(
      ([, { Type, Properties }]) =>
        Type === "AWS::IAM::Policy" && JSON.stringify(Properties).includes('"CodePublisherRole"'),
    );
    expect(policies.map(([id]) => id)).toHaveLength(fromBucket.length + 1);
    const text = JSON.stringify(policies);
    const allowed = [...text.matchAll(/"Action":("[^"]+"|\[[^\]]+\])/g)].map(([, its]) => its);
    expect([...new Set(allowed)].sort()).toEqual([
      '"lambda:GetFunctionConfiguration"',
      '"lambda:PublishVersion"',
      '["logs:CreateLogStream","logs:PutLogEvents"]',
    ]);
    expect(text).not.toContain('"Resource":"*"');
  });
});

describe("CloudFormation with the template for any cluster", () => {
  const evil = Buffer.from("other code");
  const swapped = (id: string): ReadonlyMap<string, Buffer> => {
    const [, key = ""] = /"S3Key":"([^"]+)"/.exec(JSON.stringify(template.Resources[id])) ?? [];
    return new Map([...archives, [key, evil]]);
  };

  it("deploys the archives of the release, and every caller then calls their code", async () => {
    const cloud = new StandIn(archives);
    await expect(cloud.deploy(resourcesWith())).resolves.toBe("complete");
    expect(cloud.called().length).toBeGreaterThan(6);
    for (const { bytes, archive } of cloud.called()) expect(archives.get(archive)).toBe(bytes);
  });

  it.each(fromBucket)("refuses another archive at the first deployment: of %s", async (id) => {
    const cloud = new StandIn(swapped(id));
    await expect(cloud.deploy(resourcesWith())).resolves.toMatch(
      /^No version of \S+ was published .* put the files of the release into the bucket again/,
    );
    expect(cloud.called().filter(({ bytes }) => bytes === evil)).toEqual([]);
  });

  it.each(fromBucket)("refuses another bucket's archive at an update: of %s", async (id) => {
    const cloud = new StandIn(archives);
    await cloud.deploy(resourcesWith());
    cloud.fill(swapped(id));
    await expect(cloud.deploy(resourcesWith({ CodeBucketPrefix: "evil" }))).resolves.toMatch(
      /^No version of /,
    );
    expect(cloud.called().filter(({ bytes }) => bytes === evil)).toEqual([]);
    expect(cloud.called().length).toBeGreaterThan(6);
  });

  const toEvil = resourcesWith({ CodeBucketPrefix: "evil" });

  /** A stack whose update to the archives of another bucket has failed. */
  async function failedUpdate(bad: ReadonlyMap<string, Buffer>) {
    const cloud = new StandIn(archives);
    await cloud.deploy(resourcesWith());
    await cloud.deploy(resourcesWith()); // nothing changes, so that what is called is what runs
    const before = cloud.called();
    cloud.fill(bad, `evil-${region}`);
    await expect(cloud.deploy(toEvil)).resolves.not.toBe("complete");
    return { cloud, before };
  }

  it.each(fromBucket)(
    "goes back from another archive to what ran before, by no new version: of %s",
    async (id) => {
      const { cloud, before } = await failedUpdate(swapped(id));
      await expect(cloud.goBack()).resolves.toBe("complete");
      expect(new Set(cloud.called())).toEqual(new Set(before));
      await cloud.deploy(resourcesWith());
      expect(cloud.called()).toEqual(before);
    },
  );

  it("goes back where the other bucket has no archives at all", async () => {
    const { cloud, before } = await failedUpdate(new Map());
    await expect(cloud.goBack()).resolves.toBe("complete");
    expect(new Set(cloud.called())).toEqual(new Set(before));
  });

  /** The same, and the archives of before are others by then. */
  async function failedTwice(bucket: ReadonlyMap<string, Buffer>, says: RegExp) {
    const { cloud, before } = await failedUpdate(swapped(fromBucket[0] ?? ""));
    cloud.fill(bucket);
    for (const _ of ["the way back", "its continuation"]) {
      await expect(cloud.goBack()).resolves.toMatch(says);
      expect(new Set(cloud.called())).toEqual(new Set(before));
    }
    cloud.fill(archives);
    return { cloud, before };
  }

  it("cannot go back while the archives of before are gone, and what ran goes on until they are there again", async () => {
    const { cloud, before } = await failedTwice(new Map(), /^S3 Error Code: NoSuchKey/);
    await expect(cloud.goBack()).resolves.toBe("complete");
    expect(new Set(cloud.called())).toEqual(new Set(before));
  });

  it("cannot go back once it has fetched another archive from the place of before, until somebody has the right one fetched", async () => {
    const others = new Map([...archives.keys()].map((key) => [key, evil]));
    const { cloud, before } = await failedTwice(others, /^No version of /);
    await expect(cloud.goBack()).resolves.toMatch(/^No version of /);
    for (const id of fromBucket) cloud.updateCode(id);
    await expect(cloud.goBack()).resolves.toBe("complete");
    expect(new Set(cloud.called())).toEqual(new Set(before));
  });

  it("brings another value of a parameter to what runs, though the code is the same", async () => {
    const cloud = new StandIn(archives);
    await cloud.deploy(resourcesWith());
    const changed = resourcesWith({ DrainTimeoutSeconds: "1200" });
    await expect(cloud.deploy(changed)).resolves.toBe("complete");
    await cloud.deploy(changed); // nothing changes, so that what is called is what the update has left
    const running = cloud.called().filter(({ settings }) => settings.includes("DRAIN_TIMEOUT"));
    expect(running.length).toBeGreaterThan(0);
    for (const { settings } of running) expect(settings).toContain('SECONDS":"1200"');
  });

  it("takes the deployment of the same again", async () => {
    const cloud = new StandIn(archives);
    await cloud.deploy(resourcesWith());
    const before = cloud.called();
    await expect(cloud.deploy(resourcesWith())).resolves.toBe("complete");
    expect(cloud.called()).toEqual(before);
  });

  it("removes the stack although the bucket has other archives by then", async () => {
    const cloud = new StandIn(archives);
    await cloud.deploy(resourcesWith());
    cloud.fill(new Map());
    await expect(cloud.remove()).resolves.toBe("complete");
  });
});
