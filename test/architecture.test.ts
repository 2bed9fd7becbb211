import { describe, expect, it } from "vitest";
import { importsAmong, inCircles } from "./architecture/circles.ts";
import { computed, importsOf } from "./architecture/imports-of.ts";
import { rooms } from "./architecture/rooms.ts";
import { readSources } from "./architecture/source-file.ts";
import { roomOf, violationsOf } from "./architecture/violations.ts";

describe("the house", () => {
  it("has every file in a room, and each imports only what its room may", async () => {
    const sources = await readSources();

    expect(sources.flatMap(violationsOf)).toEqual([]);
  });

  it("is read completely: most files import others, and every room has files", async () => {
    const sources = await readSources();

    const importing = sources.filter(({ text }) => importsOf(text).length > 0);
    expect(importing.length).toBeGreaterThan(sources.length / 2);
    const filled = new Set(sources.map(({ path }) => roomOf(path)?.name));
    const withCode = rooms.filter(({ name }) => name !== "data" && name !== "manifests");
    expect(withCode.filter(({ name }) => !filled.has(name))).toEqual([]);
  });

  it("has its rooms in order: no room imports a later one", () => {
    const names = rooms.map(({ name }) => name);

    for (const [index, room] of rooms.entries()) {
      const allowed = names.slice(0, index);
      expect(
        room.rooms.filter((name) => !allowed.includes(name)),
        room.name,
      ).toEqual([]);
    }
  });

  it("has no files that import each other in a circle, not even types", async () => {
    const sources = await readSources();

    expect(inCircles(importsAmong(sources))).toEqual([]);
  });

  it("forbids files to import each other in a circle", () => {
    const files = [
      { path: "lib/a.ts", text: 'import type { B } from "./b.ts";' },
      { path: "lib/b.ts", text: 'import { c } from "./c/c.ts";' },
      { path: "lib/c/c.ts", text: 'import { a } from "../a.ts";' },
      { path: "lib/d.ts", text: 'import { a } from "./a.ts";' },
    ];

    expect(inCircles(importsAmong(files))).toEqual(["lib/a.ts", "lib/b.ts", "lib/c/c.ts"]);
  });

  it.each([
    ["lambda/domain/pod/pod.ts", "../../fault.ts", "pod must not import fault"],
    ["lambda/domain/pod/pod.ts", "../../ports/ports.ts", "pod must not import ports"],
    ["lambda/domain/pod/pod.ts", "zod/mini", "pod must not import the package zod"],
    ["lambda/domain/pod/pod.ts", "node:crypto", "pod must not import the package node:"],
    ["lambda/domain/pod/pod.ts", "../../../sandbox/x.ts", "pod must not import sandbox"],
    ["lambda/domain/pod/pod.ts", "yaml", "pod must not import the package yaml"],
    ["lambda/fault.ts", "./domain/time.ts", "fault must not import basics"],
    ["lambda/contract.ts", "./fault.ts", "contract must not import fault"],
    ["lambda/ports/ports.ts", "../adapters/aws/ec2-instances.ts", "ports must not import aws"],
    ["lambda/ports/ports.ts", "../flows/drain/drain-node.ts", "ports must not import flows/drain"],
    ["lambda/events/hook.ts", "../flows/drain/drain-node.ts", "events must not import flows/drain"],
    ["lambda/flows/x.ts", "../adapters/aws/ec2-instances.ts", "flows must not import aws"],
    ["lambda/flows/x.ts", "../config/config.ts", "flows must not import config"],
    ["lambda/flows/x.ts", "@aws-sdk/client-ec2", "flows must not import the package @aws-sdk"],
    [
      "lambda/adapters/aws/x.ts",
      "../../flows/drain/drain-node.ts",
      "aws must not import flows/drain",
    ],
    ["lambda/adapters/eks/x.ts", "../../drain-handler.ts", "eks must not import handlers"],
    ["lambda/adapters/aws/x.ts", "commander", "aws must not import the package commander"],
    ["lambda/drain-handler.ts", "../sandbox/world.ts", "handlers must not import sandbox"],
    ["lambda/drain-handler.ts", "../cli/main.ts", "handlers must not import cli"],
    ["lambda/drain-handler.ts", "../test/x.ts", "handlers must not import test"],
    ["lambda/drain-handler.ts", "zod", "zod belongs in a schema"],
    ["lambda/adapters/aws/x.ts", "zod/mini", "zod belongs in a schema"],
    ["lib/drain.ts", "../lambda/flows/x.ts", "lib must not import flows"],
    ["sandbox/world.ts", "../lambda/contract.ts", "sandbox must not import contract"],
    ["sandbox/world.ts", "../lambda/adapters/aws/x.ts", "sandbox must not import aws"],
    ["sandbox/world.ts", "../lib/x.ts", "sandbox must not import lib"],
    ["cli/main.ts", "../lib/x.ts", "cli must not import lib"],
    ["cli/main.ts", "../test/x.ts", "cli must not import test"],
    ["lambda/domain/node/node.ts", "../pod/pod.ts", "node must not import pod"],
    ["lambda/domain/pod/pod.ts", "../drain/turn.ts", "pod must not import drain"],
    ["lambda/domain/drain/x.ts", "../notice/x.ts", "drain must not import notice"],
    ["lambda/domain/launch/x.ts", "../aws-auth/x.ts", "launch must not import aws-auth"],
    ["lambda/domain/rights/x.ts", "../aws-auth/x.ts", "rights must not import aws-auth"],
    ["lambda/domain/drain/x.ts", "../entry.ts", "drain must not import entry"],
    ["lambda/flows/drain/x.ts", "../launch/x.ts", "flows/drain must not import flows/launch"],
    ["lambda/flows/mark/x.ts", "../drain/x.ts", "flows/mark must not import flows/drain"],
    ["lambda/flows/queue/x.ts", "../drain/x.ts", "flows/queue must not import flows/drain"],
    ["lambda/adapters/aws/x.ts", "../http/x.ts", "aws must not import http"],
    ["lambda/adapters/kubernetes/watch/x.ts", "../../eks/x.ts", "watch must not import eks"],
    ["lambda/adapters/kubernetes/x.ts", "../eks/x.ts", "kubernetes must not import eks"],
    ["lambda/adapters/kubernetes/objects/x.ts", "../watch/x.ts", "objects must not import watch"],
    ["journal/x.ts", "../sandbox/x.ts", "journal must not import sandbox"],
    ["journal/x.ts", "../lambda/ports/clock.ts", "journal must not import ports"],
    ["lambda/flows/x.ts", "../../package.json", "flows must not import data"],
    ["lambda/flows/x.ts", "../../../elsewhere.ts", "flows must not import what is in no room"],
  ])("does not let %s import %s", (path, target, why) => {
    const text = `import { it } from "${target}";`;

    expect(violationsOf({ path, text })).toEqual([expect.stringContaining(`${path}: ${why}`)]);
  });

  it.each([
    ["lambda/domain/pod/pod.ts", "../time.ts"],
    ["lambda/ports/ports.ts", "../domain/time.ts"],
    ["lambda/flows/x.ts", "../ports/ports.ts"],
    ["lambda/flows/queue/work-on-notice.ts", "../drain/drain-node.ts"],
    ["lambda/flows/drain/x.ts", "../mark/mark-node.ts"],
    ["lambda/domain/launch/x.ts", "../notice/x.ts"],
    ["journal/happening.ts", "../lambda/domain/entry.ts"],
    ["lambda/adapters/eks/x.ts", "@smithy/core/transport"],
    ["lambda/adapters/kubernetes/objects/status-schema.ts", "zod/mini"],
    ["lambda/drain-handler.ts", "./flows/drain/drain-node.ts"],
    ["lib/drain.ts", "../lambda/contract.ts"],
    ["sandbox/world.ts", "../lambda/domain/pod/pod.ts"],
    ["sandbox/aws/sqs.ts", "../../lambda/ports/ports.ts"],
    ["cli/replay/replay.ts", "../../sandbox/world.ts"],
    ["test/x.test.ts", "./cluster/control-plane.ts"],
    ["bench/x.ts", "./cluster/control-plane.ts"],
  ])("lets %s import %s", (path, target) => {
    expect(violationsOf({ path, text: `import { it } from "${target}";` })).toEqual([]);
  });

  it("lets no file stand outside every room", () => {
    expect(violationsOf({ path: "lambda/utils/x.ts", text: "" })).toHaveLength(1);
  });

  it.each([
    "const region = process.env.AWS_REGION;",
    "const { AWS_REGION } = process.env;",
    "const region = process?.env.AWS_REGION;",
  ])("lets no flow and no adapter read the environment: %s", (text) => {
    const read = (path: string) => violationsOf({ path, text });

    expect(read("lambda/adapters/aws/x.ts")).toHaveLength(1);
    expect(read("lambda/flows/x.ts")).toHaveLength(1);
    expect(read("lambda/config/config.ts")).toEqual([]);
    expect(read("cli/main.ts")).toEqual([]);
  });
});

describe("an import", () => {
  it.each([
    ['import { a } from "x";', ["x"]],
    ['import type { A } from "x";', ["x"]],
    ['import { a, type B } from "x";', ["x"]],
    ['import {\n  a,\n  b,\n} from "x";\n', ["x"]],
    ['import * as a from "x";', ["x"]],
    ['import a from "x";', ["x"]],
    ['import "x";', ["x"]],
    ['export { a } from "x";', ["x"]],
    ['export type { A } from "x";', ["x"]],
    ['export * from "x";', ["x"]],
    ["import { a } from 'x';", ["x"]],
    ['const a = await import("x");', ["x"]],
    ['let a: import("x").A;', ["x"]],
    ['const a = require("x");', ["x"]],
    ["const a = await import(name);", [computed]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of one
    ["const a = await import(`./${name}.ts`);", [computed]],
    ['import { a } from "x";\nimport { b } from "y";', ["x", "y"]],
    ['/** Takes it from "x". */\nexport const a = "from";', []],
    ['export const from = "x";', []],
  ])("is found in %j", (text, targets) => {
    expect(importsOf(text)).toEqual(targets);
  });
});
