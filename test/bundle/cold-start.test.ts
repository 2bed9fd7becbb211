import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { projectRoot } from "../../tools/bundle/project-root.ts";

const handler = join(projectRoot, "dist/node/index.cjs");

const program = `
  const before = new Set(process.moduleLoadList);
  require(${JSON.stringify(handler)});
  const modules = process.moduleLoadList.filter((name) => !before.has(name));
  process.stdout.write(JSON.stringify({ files: Object.keys(require.cache), modules }));
  process.exit();
`;

const env = {
  AWS_REGION: "eu-west-1",
  AWS_ENDPOINT_URL: "http://127.0.0.1:9",
  CLUSTER_NAME: "demo",
  MANAGED_GROUPS: '["workers"]',
  QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/notices",
  DEAD_LETTER_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/dead",
};

describe("a cold start of the node function", () => {
  let files: readonly string[];
  let modules: readonly string[];

  beforeAll(() => {
    const told = execFileSync(process.execPath, ["-e", program], { env, encoding: "utf8" });
    ({ files, modules } = Object(JSON.parse(told)));
  });

  it("loads at most 400 kB, in one file", () => {
    const bytes = files.reduce((sum, file) => sum + readFileSync(file).length, 0);
    expect(bytes).toBeLessThanOrEqual(400_000);
    expect(files).toHaveLength(1);
  });

  it("loads only ASCII, which Node does not decode", () => {
    const bytes = files.flatMap((file) => [...readFileSync(file)]);
    expect(bytes.filter((byte) => byte > 127)).toEqual([]);
  });

  it("loads nothing that only a launch, or a notice that comes again, needs, and no zod", () => {
    const names = files.map((file) => basename(file)).join(" ");
    expect(names).not.toMatch(/node-access|register-node|sqs-queue|edit|role-standing/);
    const text = files.map((file) => readFileSync(file, "utf8")).join("");
    const late = ["GetInstanceProfile", "ChangeMessageVisibility", "YAMLParseError", "_zod"];
    expect(late.filter((word) => text.includes(word))).toEqual([]);
  });

  it("loads at most 95 modules of Node, and not its own undici", () => {
    expect(modules.length).toBeLessThanOrEqual(95);
    expect(modules.filter((name) => name.includes("undici"))).toEqual([]);
  });
});
