import { createHash } from "node:crypto";
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type BundleOptions,
  buildFunctions,
  type FunctionBundle,
} from "../../tools/bundle/build-functions.ts";
import { projectRoot } from "../../tools/bundle/project-root.ts";
import { projectCopy, type TemporaryProject, temporaryProject } from "./temporary-project.ts";

const projects: TemporaryProject[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const project of projects.splice(0)) project.remove();
});

const kept = (project: TemporaryProject): TemporaryProject => {
  projects.push(project);
  return project;
};

const handler = "export const handler = () => 1;";

function built(files: Readonly<Record<string, string>>, options: BundleOptions = {}) {
  const { root } = kept(temporaryProject(files));
  return buildFunctions({ root, ...options });
}

async function loaded(
  source: string,
  others: Readonly<Record<string, string>> = {},
): Promise<{ handler: (...given: unknown[]) => unknown }> {
  const [bundle] = await built({ "lambda/x-handler.ts": source, ...others });
  return createRequire(import.meta.url)(bundle?.file ?? "");
}

const packageOf = (path: string): string =>
  /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? "own";

describe("the bundles of this project", () => {
  let folder: string;
  let bundles: readonly FunctionBundle[];

  beforeAll(async () => {
    const { root, remove } = projectCopy();
    folder = join(root, "dist");
    bundles = await buildFunctions({ root });
    return remove;
  });

  it("are a folder for each handler, with the source maps outside of it", () => {
    for (const { name, file, files } of bundles) {
      expect(file).toBe(join(folder, name, "index.cjs"));
      const names = files.map((path) => basename(path));
      expect(readdirSync(join(folder, name)).toSorted()).toEqual(names.toSorted());
      const maps = names.map((one) => `${one}.map`);
      expect(readdirSync(join(folder, "maps", name)).toSorted()).toEqual(maps.toSorted());
    }
    expect(bundles).toHaveLength(globSync("lambda/*-handler.ts", { cwd: projectRoot }).length);
  });

  it("have the size and the hash that the build reports", () => {
    for (const { files, bytes, sha256 } of bundles) {
      const contents = Buffer.concat(files.map((file) => readFileSync(file)));
      expect(contents.length).toBe(bytes);
      expect(createHash("sha256").update(contents).digest("hex")).toBe(sha256);
    }
  });

  it("name no folder of the computer that built them", () => {
    for (const file of bundles.flatMap(({ files }) => files)) {
      const code = readFileSync(file, "utf8");
      for (const path of [projectRoot, tmpdir(), "node_modules/"]) expect(code).not.toContain(path);
    }
  });

  it("contain only the packages that serve a function in Lambda", () => {
    for (const { inputs } of bundles) {
      const packages = Object.keys(inputs)
        .filter((path) => (inputs[path] ?? 0) > 0)
        .map(packageOf);
      const unwanted =
        /^(@kubernetes\/client-node|undici|openid-client|oauth4webapi|jose|ws|isomorphic-ws|js-yaml|jsonpath-plus|socks.*|hpagent|tar-.*|stream-buffers|@aws-sdk\/(credential-provider-(?!env).*|nested-clients|token-providers)|@smithy\/credential-provider-imds)$/;
      expect(packages.filter((name) => unwanted.test(name))).toEqual([]);
      expect(packages).toContain("own");
    }
  });

  it("let the node function load nothing of other functions' subjects but their reasons for a drain", () => {
    const { inputs = {} } = bundles.find(({ name }) => name === "node") ?? {};
    const paths = Object.keys(inputs).filter((path) => (inputs[path] ?? 0) > 0);
    expect(paths).toContain("lambda/drain/next-step.ts");
    const others = /^lambda\/(group-work|repair|rights|upgrade|webhook)\/(?!\w+-reason\.ts$)/;
    expect(paths.filter((path) => others.test(path))).toEqual([]);
  });
});

describe("a build", () => {
  it("fails when client-node would be in a function", async () => {
    const source = `import { ApiException } from "@kubernetes/client-node"; export const handler = () => ApiException;`;
    await expect(built({ "lambda/x-handler.ts": source }, { budget: 9e6 })).rejects.toThrow(
      "function x has client-node in it: use sendRequest instead",
    );
  });

  it("fails when a function is too big, and leaves the old one as it was", async () => {
    const { root } = kept(temporaryProject({ "lambda/x-handler.ts": handler }));
    await expect(buildFunctions({ root, budget: 100 })).rejects.toThrow(
      /^function x loads \d+ bytes when it starts, and may load 100$/,
    );
    expect(existsSync(join(root, "dist"))).toBe(false);
  });

  it("fails when a handler's file exports no handler", async () => {
    await expect(built({ "lambda/x-handler.ts": "export const handle = 1;" })).rejects.toThrow(
      "lambda/x-handler.ts exports no handler",
    );
  });

  it("fails when there is no handler at all", async () => {
    await expect(built({})).rejects.toThrow("there is no *-handler.ts");
  });

  it("fails when a manifest is not YAML, and names it", async () => {
    const source = `import json from "./x.yaml"; export const handler = json;`;
    const files = { "lambda/x-handler.ts": source, "lambda/x.yaml": "kind: [Role" };
    await expect(built(files)).rejects.toThrow(/x\.yaml: .* at line 1/);
  });
});

describe("what a function imports only when something needs it", () => {
  const files = {
    "lambda/x-handler.ts": `
      import { Common } from "./common.ts";
      export const handler = async () => (await import("./late.ts")).late instanceof Common;
    `,
    "lambda/common.ts": "export class Common {}",
    "lambda/late.ts": `import { Common } from "./common.ts"; export const late = new Common();`,
  };

  it("is in a file of its own, which is loaded then, and shares what is there already", async () => {
    const [bundle] = await built(files);
    const require = createRequire(import.meta.url);
    const loaded = () => bundle?.files.filter((file) => file in require.cache) ?? [];
    const { handler: run } = require(bundle?.file ?? "");
    expect(
      loaded()
        .map((file) => basename(file))
        .join(),
    ).not.toContain("late-");
    expect(bundle?.startBytes).toBe(
      loaded().reduce((sum, file) => sum + readFileSync(file).length, 0),
    );
    await expect(run()).resolves.toBe(true);
    expect(
      loaded()
        .map((file) => basename(file))
        .join(),
    ).toContain("late-");
  });

  it("takes the place of the files of an earlier build", async () => {
    const project = kept(temporaryProject(files));
    const [first] = await buildFunctions(project);
    writeFileSync(join(project.root, "lambda/common.ts"), "export class Common { now = 2; }");
    const [second] = await buildFunctions(project);
    expect(second?.files).not.toEqual(first?.files);
    const there = readdirSync(join(project.root, "dist/x"));
    expect(there).toEqual(second?.files.map((file) => basename(file)));
  });
});

describe("a bundled function", () => {
  it("has the documents of its manifests, as JSON", async () => {
    const source = `import json from "./x.yaml"; export const handler = () => JSON.parse(json);`;
    const yaml = "# Why.\nkind: Role\n---\nkind: RoleBinding\n";
    const { handler: manifests } = await loaded(source, { "lambda/x.yaml": yaml });
    expect(manifests()).toEqual([{ kind: "Role" }, { kind: "RoleBinding" }]);
  });

  it("takes AWS credentials from the environment, and from nowhere else", async () => {
    const source = `
      import { EKSClient } from "@aws-sdk/client-eks";
      export const handler = () => new EKSClient({ region: "eu-west-1" }).config.credentials();
    `;
    const { handler: credentials } = await loaded(source);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKID");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "key");
    vi.stubEnv("AWS_SESSION_TOKEN", "session");
    await expect(credentials()).resolves.toMatchObject({
      accessKeyId: "AKID",
      secretAccessKey: "key",
      sessionToken: "session",
    });
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    await expect(credentials()).rejects.toThrow("environment variable credentials");
  });

  it("still sends what EC2 understands, and understands EC2's answers", async () => {
    const source = `
      import { DescribeInstancesCommand, EC2Client } from "@aws-sdk/client-ec2";
      export const handler = async (requestHandler: any, command: any) => {
        const client = new EC2Client({ region: "eu-west-1", requestHandler });
        const { Reservations } = await client.send(new DescribeInstancesCommand(command));
        const { InstanceId, PrivateDnsName, LaunchTime } = Reservations[0].Instances[0];
        return { InstanceId, PrivateDnsName, LaunchTime };
      };
    `;
    const { handler: describeInstances } = await loaded(source);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKID");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "key");
    const sent: string[] = [];
    const answer = `<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">
      <reservationSet><item><instancesSet><item><instanceId>i-1</instanceId>
      <privateDnsName>ip-10-0-0-1.internal</privateDnsName><launchTime>2026-11-20T10:00:00.000Z</launchTime>
      </item></instancesSet></item></reservationSet></DescribeInstancesResponse>`;
    const requestHandler = {
      handle: async (request: { body: string }) => {
        sent.push(request.body);
        const { Readable } = await import("node:stream");
        const headers = { "content-type": "text/xml" };
        return {
          response: { statusCode: 200, headers, body: Readable.from([Buffer.from(answer)]) },
        };
      },
    };
    const described = await describeInstances(requestHandler, {
      InstanceIds: ["i-1"],
      Filters: [{ Name: "tag:a", Values: ["b"] }],
    });
    expect(Object.fromEntries(new URLSearchParams(sent[0]))).toEqual({
      Action: "DescribeInstances",
      Version: "2016-11-15",
      "InstanceId.1": "i-1",
      "Filter.1.Name": "tag:a",
      "Filter.1.Value.1": "b",
    });
    expect(described).toEqual({
      InstanceId: "i-1",
      PrivateDnsName: "ip-10-0-0-1.internal",
      LaunchTime: new Date("2026-11-20T10:00:00Z"),
    });
  });
});
