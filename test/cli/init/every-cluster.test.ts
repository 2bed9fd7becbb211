import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { main } from "../../../cli/main.ts";
import { it, type Surroundings } from "./discovered-account.ts";

/** Makes more clusters in the account. */
function add({ aws }: Surroundings, ...names: readonly string[]): void {
  for (const name of names)
    aws.eks.createCluster({
      name,
      version: "1.36",
      endpoint: "https://127.0.0.1:6443",
      certificateAuthority: "",
      authenticationMode: "API",
    });
}

/** Writes a file that is there before. */
function given({ path }: Surroundings, name: string, content: string): string {
  mkdirSync(dirname(path), { recursive: true });
  const at = join(dirname(path), `${name}.json`);
  writeFileSync(at, content);
  return at;
}

const filesOf = ({ path }: Surroundings) =>
  readdirSync(dirname(path)).sort((a, b) => (a < b ? -1 : 1));

describe("init of all clusters", () => {
  it("writes a file for each, many pages of them", async ({ world }) => {
    const names = Array.from({ length: 120 }, (_, at) => `c${at}`);
    add(world, ...names);

    expect(await main(["init", "--all"], world.io)).toBe(0);

    expect(filesOf(world)).toHaveLength(122);
    expect(JSON.parse(readFileSync(world.path, "utf8"))).toMatchObject({
      groups: ["workers"],
      drain: { mode: "dry-run" },
    });
    expect(world.io.out()).toContain("clusters/c119.json written, in dry run\n");
  });

  it("overwrites nothing, and says how a file is brought up to date", async ({ world }) => {
    add(world, "new");
    const content = '{ "cluster": { "region": "eu-west-1" } }';
    const at = given(world, "demo", content);

    expect(await main(["init", "--all"], world.io)).toBe(0);

    expect(readFileSync(at, "utf8")).toBe(content);
    expect(filesOf(world)).toEqual(["demo.json", "new.json"]);
    expect(world.io.out()).toContain(
      "clusters/demo.json is there; init demo --update brings it up to date\n",
    );
  });

  it("has the clusters of a Region share a dashboard and a key, unless files are there", async ({
    world,
  }) => {
    given(world, "sample", "{}");
    expect(await main(["init", "--all"], world.io)).toBe(0);
    const at = join(dirname(world.path), "defaults.json");
    const shared = { dashboard: "region", encryptionKey: "region" };
    expect(JSON.parse(readFileSync(at, "utf8"))).toEqual(shared);

    rmSync(at);
    expect(await main(["init", "--all"], world.io)).toBe(0);
    expect(filesOf(world)).toEqual(["demo.json", "sample.json"]);
  });

  it("goes on after a cluster that cannot be read, and ends with 1", async ({ world }) => {
    add(world, "closed");
    world.aws.authorize = ({ resource }) => (resource.endsWith("/closed") ? "denied" : "allowed");

    expect(await main(["init", "--all"], world.io)).toBe(1);

    expect(filesOf(world)).toEqual(["defaults.json", "demo.json"]);
    expect(world.io.err()).toContain("closed: aws.denied: discovering cluster closed: ");
  });

  it.for([["--all"], ["demo"]])(
    "with %j leaves the file of a cluster of this name in another Region alone",
    async (args, { world }) => {
      const content = '{ "cluster": { "region": "us-east-1" } }';
      const at = given(world, "demo", content);

      expect(await main(["init", ...args], world.io)).toBe(0);

      expect(readFileSync(at, "utf8")).toBe(content);
      expect(filesOf(world)).toEqual(["demo.eu-west-1.json", "demo.json"]);
      expect(world.io.out()).toContain("npx cdk deploy -c cluster=demo.eu-west-1");
    },
  );
});
