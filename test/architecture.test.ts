import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { describe, expect, it } from "vitest";
import { importsOf, order, roomOf, violationsOf } from "./architecture/rooms.ts";

const code = "{bin,lib,lambda,cli,journal,sandbox,tools,test}/**/*.ts";
const sources = [...globSync(code, { exclude: ["test/planted/**"] }), ...globSync("*.ts")].map(
  (path) => ({ path, text: readFileSync(path, "utf8") }),
);

const ownLists = [
  "cli/own-commands.ts",
  "cli/subjects.ts",
  "journal/subjects.ts",
  "lambda/own-reasons.ts",
  "lib/subjects.ts",
];

// That no files import each other in a circle, not even types, is Biome's to say: noImportCycles.
describe("the house", () => {
  it("has every file in a room, and each imports only what its room may", () => {
    expect(sources.flatMap(({ path, text }) => violationsOf(path, text))).toEqual([]);
  });

  it("is read completely", () => {
    const importing = sources.filter(({ text }) => importsOf(text).length > 0);
    expect(importing.length).toBeGreaterThan(sources.length / 2);
    const filled = new Set(sources.map(({ path }) => roomOf(path)));
    expect(order.filter((room) => !filled.has(room))).toEqual([]);
  });

  it("has its order from ARCHITECTURE.md", () => {
    expect(order.at(0)).toBe("handlers");
    expect(order.at(-1)).toBe("base");
    const folders = globSync("lambda/*/").map((path) => path.split("/")[1]);
    expect(order.slice(1).toSorted()).toEqual(folders.toSorted());
  });

  it.each([
    ["webhook", ["lib/cluster-file/own-fields.ts", "lib/own-notifiers.ts"]],
    ["making-room", ["cli/own-room.ts", "journal/subjects.ts", "lambda/subjects.ts"]],
    ["upgrade", ownLists],
    ["repair", [...ownLists.slice(0, 4), "lib/cluster-file/own-parts.ts", ...ownLists.slice(4)]],
  ])("lets %s go with what has its name, and a line of each list", (subject, lists) => {
    const isOwn = (path: string) =>
      path.split("/").some((part) => part.split(/[.]|-handler/)[0] === subject);
    const others = sources.filter(({ path }) => !isOwn(path) && !/^test|bench/.test(path));
    const importing = others.flatMap(({ path, text }) =>
      importsOf(text)
        .filter((target) => target.startsWith(".") && isOwn(join(dirname(path), target)))
        .map(() => path),
    );
    expect(importing.toSorted()).toEqual(lists);
  });

  it.each([
    ["lambda/drain/pod.ts", "../launch/x.ts", "drain must not import launch"],
    ["lambda/notice/x.ts", "../drain/x.ts", "notice must not import drain"],
    ["lambda/drain/pod.ts", "../kubernetes/x.ts", "drain must not import kubernetes"],
    ["lambda/drain/pod.ts", "../config/config.ts", "drain must not import config"],
    ["lambda/drain/pod.ts", "zod/mini", "drain must not import the package zod"],
    ["lambda/drain/pod.ts", "node:crypto", "drain must not import the package node:crypto"],
    ["lambda/drain/pod.ts", "../../sandbox/x.ts", "drain must not import sandbox"],
    ["lambda/drain/pod.ts", "../../journal/x.ts", "drain must not import journal"],
    ["lambda/drain/x.port.ts", "../making-room/x.port.ts", "drain must not import making-room"],
    ["lambda/drain/pod.ts", "./evictions.flow.ts", "drain decides here"],
    ["lambda/launch/x.ts", "../drain/x.flow.ts", "launch decides here"],
    ["lib/x.ts", "../lambda/drain/x.flow.ts", "lib decides here"],
    ["lambda/drain/x.flow.ts", "../launch/x.flow.ts", "drain must not import launch"],
    ["lambda/drain/x.flow.ts", "../aws/x.ts", "drain must not import aws"],
    ["lambda/drain/x.flow.ts", "@aws-sdk/client-ec2", "drain must not import the package"],
    ["lambda/drain/x.flow.ts", "../../package.json", "drain must not import data"],
    ["lambda/http/x.ts", "../kubernetes/x.ts", "http must not import kubernetes"],
    ["lambda/kubernetes/x.ts", "../aws/x.ts", "kubernetes must not import aws"],
    ["lambda/aws/x.ts", "../drain/x.flow.ts", "aws decides here"],
    ["lambda/aws/x.ts", "../x-handler.ts", "aws must not import handlers"],
    ["lambda/aws/x.ts", "commander", "aws must not import the package commander"],
    ["lambda/aws/x.ts", "zod/mini", "zod belongs in a schema"],
    ["lambda/x-handler.ts", "../sandbox/world.ts", "handlers must not import sandbox"],
    ["lib/nearest.ts", "aws-cdk-lib", "shared must not import the package aws-cdk-lib"],
    ["sandbox/world.ts", "../lambda/aws/x.ts", "sandbox must not import aws"],
    ["cli/main.ts", "../lib/x.ts", "cli must not import lib"],
    ["cli/main.ts", "../test/x.ts", "cli must not import test"],
    ["journal/x.ts", "../sandbox/x.ts", "journal must not import sandbox"],
    ["lambda/drain/x.ts", "../../elsewhere/x.ts", "drain must not import what is in no room"],
  ])("does not let %s import %s", (path, target, why) => {
    const text = `import type { it } from "${target}";`;

    expect(violationsOf(path, text)).toEqual([expect.stringContaining(`${path}: ${why}`)]);
  });

  it.each([
    ["lambda/drain/pod.ts", "../base/time.ts"],
    ["lambda/node-work.flow.ts", "../launch/register-node.flow.ts"],
    ["lambda/launch/x.flow.ts", "../notice/guard.flow.ts"],
    ["lambda/kubernetes/present-object-schema.ts", "zod/mini"],
    ["lambda/x-handler.ts", "./config/config.ts"],
    ["cli/main.ts", "../lib/nearest.ts"],
    ["tools/bench/x.ts", "../../test/cluster/control-plane.ts"],
  ])("lets %s import %s", (path, target) => {
    expect(violationsOf(path, `import { it } from "${target}";`)).toEqual([]);
  });

  it("lets no file stand outside every room", () => {
    expect(violationsOf("lambda/utils/x.ts", "")).toHaveLength(1);
  });

  it("lets nothing but the configuration read the environment", () => {
    const text = "const { AWS_REGION } = process?.env;";

    expect(violationsOf("lambda/drain/x.flow.ts", text)).toHaveLength(1);
    expect(violationsOf("lambda/config/config.ts", text)).toEqual([]);
  });

  it.each([
    ['import type { A } from "x";', ["x"]],
    ['import {\n  a,\n  b,\n} from "x";\n', ["x"]],
    ['import "x";', ["x"]],
    ['export * from "x";', ["x"]],
    ['let a: import("x").A;', ["x"]],
    ["const a = await import(name);", ["(computed)"]],
    ['/** Takes it from "x". */\nexport const a = "from";', []],
  ])("finds the imports in %j", (text, targets) => {
    expect(importsOf(text)).toEqual(targets);
  });
});
