import { describe, expect, it } from "vitest";
import { computed, importsOf } from "./architecture/imports-of.ts";
import { rooms } from "./architecture/rooms.ts";
import { readSources } from "./architecture/source-file.ts";
import { violationsOf } from "./architecture/violations.ts";

describe("the house", () => {
  it("has every file in a room, and each imports only what its room may", async () => {
    const sources = await readSources();

    expect(sources.flatMap(violationsOf)).toEqual([]);
  });

  it("is read whole: most files import others, and every room of the function has some", async () => {
    const sources = await readSources();

    const importing = sources.filter(({ text }) => importsOf(text).length > 0);
    expect(importing.length).toBeGreaterThan(sources.length / 2);
    for (const name of ["domain", "fault", "contract", "ports", "door", "flows", "adapters"]) {
      const files = rooms.find((room) => room.name === name)?.files;
      const filled = sources.filter(({ path }) => files?.test(path) === true);
      expect(filled, name).not.toEqual([]);
    }
  });

  it.each([
    ["lambda/domain/pod/pod.ts", "../../fault.ts", "domain must not import fault"],
    ["lambda/domain/pod/pod.ts", "../../ports/ports.ts", "domain must not import ports"],
    ["lambda/domain/pod/pod.ts", "zod/mini", "domain must not import the package zod"],
    ["lambda/domain/pod/pod.ts", "node:crypto", "domain must not import the package node:"],
    ["lambda/domain/pod/pod.ts", "../../../sandbox/x.ts", "domain must not import sandbox"],
    ["lambda/domain/pod/pod.ts", "yaml", "domain must not import the package yaml"],
    ["lambda/fault.ts", "./domain/time.ts", "fault must not import domain"],
    ["lambda/contract.ts", "./fault.ts", "contract must not import fault"],
    ["lambda/ports/ports.ts", "../adapters/ec2-instances.ts", "ports must not import adapters"],
    ["lambda/ports/ports.ts", "../flows/drain-node.ts", "ports must not import flows"],
    ["lambda/events/hook.ts", "../flows/drain-node.ts", "door must not import flows"],
    ["lambda/flows/x.ts", "../adapters/ec2-instances.ts", "flows must not import adapters"],
    ["lambda/flows/x.ts", "../config/config.ts", "flows must not import config"],
    ["lambda/flows/x.ts", "@aws-sdk/client-ec2", "flows must not import the package @aws-sdk"],
    ["lambda/adapters/x.ts", "../flows/drain-node.ts", "adapters must not import flows"],
    ["lambda/adapters/x.ts", "../drain-handler.ts", "adapters must not import handlers"],
    ["lambda/adapters/x.ts", "commander", "adapters must not import the package commander"],
    ["lambda/adapters/aws/x.ts", "../http/dial.ts", "aws must not import http"],
    [
      "lambda/adapters/kubernetes/objects/x.ts",
      "../connection/y.ts",
      "objects must not import connection",
    ],
    [
      "lambda/adapters/kubernetes/connection/x.ts",
      "../watch/y.ts",
      "connection must not import watch",
    ],
    ["lambda/adapters/kubernetes/watch/x.ts", "../y.ts", "watch must not import kubernetes"],
    ["lambda/adapters/kubernetes/watch/x.ts", "../../eks/y.ts", "watch must not import eks"],
    ["lambda/adapters/kubernetes/x.ts", "../eks/y.ts", "kubernetes must not import eks"],
    ["lambda/adapters/local/x.ts", "../http/dial.ts", "local must not import http"],
    ["lambda/drain-handler.ts", "../sandbox/world.ts", "handlers must not import sandbox"],
    ["lambda/drain-handler.ts", "../cli/main.ts", "handlers must not import cli"],
    ["lambda/drain-handler.ts", "../test/x.ts", "handlers must not import test"],
    ["lambda/drain-handler.ts", "zod", "zod belongs in a schema"],
    ["lambda/adapters/x.ts", "zod/mini", "zod belongs in a schema"],
    ["lib/drain.ts", "../lambda/flows/x.ts", "lib must not import flows"],
    ["sandbox/world.ts", "../lambda/contract.ts", "sandbox must not import contract"],
    ["sandbox/world.ts", "../lambda/adapters/x.ts", "sandbox must not import adapters"],
    ["sandbox/world.ts", "../lib/x.ts", "sandbox must not import lib"],
    ["cli/main.ts", "../lib/x.ts", "cli must not import lib"],
    ["cli/main.ts", "../test/x.ts", "cli must not import test"],
    ["lambda/flows/x.ts", "../../package.json", "flows must not import data"],
    ["lambda/flows/x.ts", "../../../elsewhere.ts", "flows must not import what is in no room"],
  ])("would not let %s import %s", (path, target, why) => {
    const text = `import { it } from "${target}";`;

    expect(violationsOf({ path, text })).toEqual([expect.stringContaining(`${path}: ${why}`)]);
  });

  it.each([
    ["lambda/domain/pod/pod.ts", "../time.ts"],
    ["lambda/domain/aws-auth/reading.ts", "yaml"],
    ["lambda/ports/ports.ts", "../domain/time.ts"],
    ["lambda/flows/x.ts", "../ports/ports.ts"],
    ["lambda/adapters/x.ts", "@smithy/core/transport"],
    ["lambda/adapters/kubernetes/objects/status-schema.ts", "zod/mini"],
    ["lambda/drain-handler.ts", "./flows/drain-node.ts"],
    ["lib/drain.ts", "../lambda/contract.ts"],
    ["sandbox/world.ts", "../lambda/domain/pod/pod.ts"],
    ["sandbox/aws/sqs.ts", "../../lambda/ports/ports.ts"],
    ["cli/replay/replay.ts", "../../sandbox/world.ts"],
    ["test/x.test.ts", "./cluster/control-plane.ts"],
    ["bench/x.ts", "../test/cluster/control-plane.ts"],
  ])("lets %s import %s", (path, target) => {
    expect(violationsOf({ path, text: `import { it } from "${target}";` })).toEqual([]);
  });

  it("would not let a file stand outside every room", () => {
    expect(violationsOf({ path: "lambda/utils/x.ts", text: "" })).toHaveLength(1);
  });

  it.each([
    "const region = process.env.AWS_REGION;",
    "const { AWS_REGION } = process.env;",
    "const region = process?.env.AWS_REGION;",
  ])("would not let a flow, or an adapter, read the environment: %s", (text) => {
    const read = (path: string) => violationsOf({ path, text });

    expect(read("lambda/adapters/x.ts")).toHaveLength(1);
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
