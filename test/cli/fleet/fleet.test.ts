import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { known, unknown } from "../../../cli/connect/found.ts";
import { fleetLines, summaryOf } from "../../../cli/fleet/summary.ts";
import { main } from "../../../cli/main.ts";
import type { ClusterStatus } from "../../../cli/status/status-schema.ts";
import { productVersion } from "../../../lambda/base/contract.ts";
import type { Credentials } from "../../../sandbox/aws/access-keys.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { evictingSample as sample } from "../../support/evicting-sample.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite } from "../connect/a-site.ts";
import { folderForTest } from "../folder-for-test.ts";
import { jsonLines } from "../json-lines-schema.ts";

/** A folder with the files of these clusters. */
function aFolder(...names: readonly string[]) {
  const cwd = folderForTest();
  mkdirSync(join(cwd, "clusters"));
  for (const name of names) write(cwd, name, { ...sample, cluster: { ...sample.cluster, name } });
  return cwd;
}

const write = (cwd: string, name: string, file: object) =>
  writeFileSync(join(cwd, "clusters", `${name}.json`), JSON.stringify(file));

const { clusterName: demo } = demoNode;

/** An STS that gives everybody who asks these credentials. */
async function anSts({ accessKeyId, secretAccessKey, sessionToken }: Credentials) {
  const asked: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    asked.push(new URLSearchParams(await text(request)));
    response.setHeader("content-type", "text/xml");
    response.end(
      `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    );
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { asked, url: `http://127.0.0.1:${portOf(server)}` };
}

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
};

describe("status of all clusters", () => {
  it("has a row for each cluster with a file, and one that cannot be reached hides no other", async () => {
    await aSite();
    const io = capturedIo({ cwd: aFolder("gone", demo, "sample") });

    expect(await main(["status", "--all"], io)).toBe(1);

    expect(io.out()).toMatch(/^CLUSTER +REGION +VERSION +HELD +OLDEST +DEAD LETTERS +ALARMS$/m);
    expect(io.out()).toMatch(/^demo +eu-west-1 +0.1.0 +1 +.*0 +\?$/m);
    expect(io.out()).toMatch(/^gone +\? +\? +\? +\? +\? +\?$/m);
    expect(io.out()).toMatch(
      /^gone: there is no EKS cluster gone in this account and Region, and/m,
    );
    expect(io.out()).not.toContain("sample");
  });

  it("tells programs the same, an object for each cluster", async () => {
    await aSite();
    const io = capturedIo({ cwd: aFolder(demo) });

    await main(["status", "--all", "--json"], io);

    const row = {
      kind: "summary-of-cluster",
      cluster: demo,
      region: "eu-west-1",
      held: 1,
      dead: 0,
    };
    expect(jsonLines(io)).toMatchObject([row]);
  });

  it("reaches a cluster by the profile in its file", async () => {
    const { env } = await aSite();
    const cwd = aFolder();
    write(cwd, demo, { ...sample, profile: "nobody", cluster: { ...sample.cluster, name: demo } });
    const io = capturedIo({ cwd, env });

    expect(await main(["status", "--all", "--json"], io)).toBe(1);

    expect(io.out()).toContain("no credentials of AWS were found");
  });

  it("takes the role in its file, by whatever credentials there are", async () => {
    const { key } = await aSite();
    const sts = await anSts(key);
    vi.stubEnv("AWS_ENDPOINT_URL_STS", sts.url);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAOFNOACCOUNT00000");
    const cwd = aFolder("gone");
    const roleArn = "arn:aws:iam::123456789012:role/reader";
    write(cwd, demo, { ...sample, roleArn, cluster: { ...sample.cluster, name: demo } });
    const io = capturedIo({ cwd });

    expect(await main(["status", "--all"], io)).toBe(1);

    expect(io.out()).toMatch(/^demo +eu-west-1 +0.1.0 +1 /m);
    expect(io.out().match(/AWS does not take the credentials/g)).toHaveLength(1);
    expect(io.out()).toMatch(/^gone .*AWS does not take the credentials/m);
    expect(sts.asked.length).toBeGreaterThan(0);
    for (const asked of sts.asked)
      expect([asked.get("Action"), asked.get("RoleArn")]).toEqual(["AssumeRole", roleArn]);
  });

  it("tells what is wrong in a file, and goes on with the others", async () => {
    await aSite();
    const cwd = aFolder(demo);
    write(cwd, "wrong", { ...sample, drian: {} });
    const io = capturedIo({ cwd });

    expect(await main(["status", "--all"], io)).toBe(1);

    expect(io.out()).toMatch(/^wrong: clusters\/wrong\.json does not fit: .*did you mean "drain"/m);
    expect(io.out()).toMatch(/^demo +eu-west-1/m);
  });

  it.each([
    [["demo", "--html", "status.html", "--watch"], "cannot be used with option '--watch'"],
    [["demo", "--all"], "demo is one of all"],
    [["--all", "--watch"], "cannot be used with option '--watch'"],
    [["--all", "--region", "eu-west-1"], "cannot be used with option '--region"],
  ])("is wrong usage with %j", async (args, message) => {
    const io = capturedIo();
    expect(await main(["status", ...args], io)).toBe(2);
    expect(io.err()).toContain(message);
  });

  it("says where there is no file", async () => {
    const io = capturedIo({ cwd: aFolder("sample") });
    expect(await main(["doctor", "--all"], io)).toBe(1);
    expect(io.err()).toContain("there is no cluster with a file in clusters/");
  });
});

describe("the table of all clusters", () => {
  const status = {
    ...({ kind: "status", cluster: "demo", at: "2026-11-24T01:00:00Z" } as const),
    broken: [],
    held: [],
    marked: [],
    upgrades: [],
    repairs: [],
    room: [],
    faults: [],
    clockAheadSeconds: 0,
    settings: [],
    gaps: [],
    queue: { waiting: 0, inFlight: 0, dead: 2 },
  };
  const beside = { region: "eu-west-1", version: known(productVersion), alarms: known([]) };

  it.each([
    [
      720,
      [
        "the clock of this computer is 12 min ahead of the cluster's; all times here are the clusters'",
      ],
    ],
    [5, []],
  ] as const)(
    "says once that the clock of this computer is ahead: by %i s",
    (clockAheadSeconds, words) => {
      const row = (cluster: string) => {
        const summary = summaryOf({ ...status, cluster, clockAheadSeconds }, beside);
        return { cluster, summary, gaps: [] };
      };
      const told = fleetLines([row("a"), row("b")]).map(({ text }) => text);
      expect(told.filter((text) => text.includes("clock"))).toEqual(words);
    },
  );

  it("names a version that is not the program's, and the alarms that go off", () => {
    const row = summaryOf(status, {
      ...beside,
      version: known("0.0.9"),
      alarms: known(["faults"]),
    });
    expect(row).toMatchObject({ behind: true, alarms: ["faults"], dead: 2 });
    expect(summaryOf(status, { ...beside, version: known("99.0.0") }).behind).toBe(false);
    const unread = { ...beside, version: unknown("denied", "allow it") };
    expect(summaryOf(status, unread)).toMatchObject({ deployed: null, behind: null });
    expect(told([row, "b"], [summaryOf(status, unread), "c"])).toEqual([
      "CLUSTER  REGION     VERSION                   HELD  OLDEST  DEAD LETTERS  ALARMS",
      `b        eu-west-1  0.0.9 (older than ${productVersion})  0             2             1`,
      "c        eu-west-1  ?                         0             2             0",
    ]);
  });

  type Summary = ReturnType<typeof summaryOf>;
  const rowOf = (
    [summary, cluster]: readonly [Summary, string],
    gaps: ClusterStatus["gaps"] = [],
  ) => ({
    cluster,
    summary,
    gaps,
  });
  const told = (...rows: readonly (readonly [Summary, string])[]) =>
    fleetLines(rows.map((row) => rowOf(row))).map(({ text }) => text);

  it("is good only where nothing is held, dead, ringing, behind or unread", () => {
    const well = { ...status, queue: { ...status.queue, dead: 0 } };
    const toneOf = (summary: Summary, gaps: ClusterStatus["gaps"] = []) =>
      fleetLines([rowOf([summary, "demo"], gaps)])[1]?.tone;
    expect(toneOf(summaryOf(well, beside))).toBe("good");
    expect(toneOf(summaryOf(status, beside))).toBe("plain");
    const unread = { ...beside, alarms: unknown("denied", "allow it") };
    expect(toneOf(summaryOf(well, unread))).toBe("plain");
    expect(toneOf(summaryOf(well, { ...beside, version: known("0.0.9") }))).toBe("plain");
  });

  it("has below it what could not be read, once for all sources and clusters", () => {
    const told = { hides: "details", why: "expired", remedy: "sign in" } as const;
    const gap = (source: string) => ({ source, ...told });
    const summary = summaryOf(status, beside);
    const rows = [
      rowOf([summary, "b"], [gap("nodes"), gap("the log")]),
      rowOf([summaryOf(status, { ...beside, region: "us-east-1" }), "b"], [gap("nodes")]),
      { cluster: "a", summary: "none" as const, gaps: [gap("")] },
    ];
    expect(fleetLines(rows).map(({ text }) => text.replaceAll(/ {2,}/g, "  "))).toEqual([
      "CLUSTER  REGION  VERSION  HELD  OLDEST  DEAD LETTERS  ALARMS",
      "a  ?  ?  ?  ?  ?  ?",
      `b  eu-west-1  ${productVersion}  0  2  0`,
      `b  us-east-1  ${productVersion}  0  2  0`,
      "a, b in eu-west-1 (nodes, the log), b in us-east-1 (nodes): expired; sign in",
    ]);
  });
});

describe("a command for one cluster", () => {
  it("reaches it by the Region and the profile in its file, unless the user names others", async () => {
    const { env, key } = await aSite();
    vi.stubEnv("AWS_REGION", "us-east-1");
    const cwd = aFolder("another");
    const cluster = { ...sample.cluster, name: demo };
    write(cwd, "by-another-name", { ...sample, cluster });
    const run = async (...words: readonly string[]) => {
      const io = capturedIo({ cwd, env });
      const code = await main([...words], io);
      return { code, said: io.out() + io.err() };
    };
    expect(await run("status", demo)).toMatchObject({ code: 0 });
    expect(await run("doctor", demo)).toMatchObject({
      said: expect.stringContaining("topic") as string,
    });
    const elsewhere = await run("status", demo, "--region", "us-east-1");
    expect(elsewhere.code).toBe(1);

    write(cwd, "by-another-name", { ...sample, profile: "nobody", cluster });
    const denied = expect.stringContaining("no credentials of AWS were found") as string;
    for (const words of [
      ["status", demo],
      ["plan", demo],
      ["logs", "i-07e9ea9eb19a67307", "--cluster", demo],
      ["timeline", "i-07e9ea9eb19a67307", "--cluster", demo],
      ["drain", "node", "--cluster", demo],
    ])
      expect(await run(...words)).toEqual({ code: 1, said: denied });

    const path = join(cwd, "credentials");
    const { accessKeyId, secretAccessKey, sessionToken } = key;
    const lines = [`aws_access_key_id=${accessKeyId}`, `aws_secret_access_key=${secretAccessKey}`];
    writeFileSync(path, ["[other]", ...lines, `aws_session_token=${sessionToken}`].join("\n"));
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", path);
    expect(await run("status", demo, "--profile", "other")).toMatchObject({ code: 0 });
  });

  it.each([
    [
      "in its file",
      { [demo]: { ...sample, drian: {} } },
      / clusters\/demo\.json does not fit: .*"drain"/,
    ],
    [
      "with a file under it",
      { [demo]: sample, "defaults-eu-wset-1": {} },
      /\/defaults-eu-wset-1\.json stands under no/,
    ],
  ])("says what is wrong %s, and goes on without it", async (_, files, words) => {
    await aSite();
    const cwd = aFolder("another");
    for (const [name, file] of Object.entries(files)) write(cwd, name, file);
    const io = capturedIo({ cwd });
    expect(await main(["status", demo], io)).toBe(0);
    expect(io.out()).not.toContain("by clusters/");
    expect(io.err()).toMatch(/^note: not heeded, /);
    expect(io.err()).toMatch(words);
  });

  it("says that a cluster is not there, and not that it holds nothing", async () => {
    await aSite();
    const io = capturedIo({ cwd: aFolder("another") });
    expect(await main(["status", "nope"], io)).toBe(1);
    expect(io.out()).toBe("");
    expect(io.err()).toBe(
      "there is no EKS cluster nope in this account and Region, and no stack EksNodeLifecycle-nope; name another cluster, or where it is (--region, --profile)\n",
    );
  });
});

it("doctor of all clusters tells what is not well of each, and its line, with the worst exit code", async () => {
  await aSite();
  const cwd = aFolder(demo, "gone");
  const io = capturedIo({ cwd });
  write(cwd, "wrong", { ...sample, drian: {} });
  expect(await main(["doctor", "--all"], io)).toBe(3);

  expect(io.out()).toMatch(/^demo in eu-west-1: .*links are well\n {2}(broken|absent|unknown) /m);
  expect(io.out()).toMatch(/^gone in eu-west-1: .*links are well\n {2}(broken|absent|unknown) /m);
  expect(io.out()).toMatch(/^wrong: clusters\/wrong.json does not fit/m);
  expect(io.out()).not.toMatch(/^ *ok {7}/m);
});

describe("where a setting comes from", () => {
  const files = () => {
    const cwd = aFolder();
    const own = { timeoutSeconds: 1200, mode: "evict" };
    const cluster = { ...sample.cluster, name: demo };
    write(cwd, demo, { ...sample, cluster, drain: own });
    write(cwd, "defaults", { drain: { tiers: "none", timeoutSeconds: 60 } });
    write(cwd, "defaults-eu-west-1", { launch: { timeoutSeconds: 700 } });
    return cwd;
  };
  const settings = { DRAIN_TIMEOUT_SECONDS: "1200", LAUNCH_TIMEOUT_SECONDS: "800" };
  const words = [
    "by clusters/demo.json: drain.timeoutSeconds 1200, drain.mode evict",
    "by clusters/defaults.json: drain.tiers none (deployed is critical-last)",
    "by clusters/defaults-eu-west-1.json: launch.timeoutSeconds 700 (deployed is 800)",
  ];

  it("status tells, and what is deployed otherwise", async () => {
    await aSite({ settings });
    const cwd = files();
    const io = capturedIo({ cwd });
    expect(await main(["status", demo], io)).toBe(0);
    expect(io.out().split("\n")).toEqual(expect.arrayContaining(words));

    const json = capturedIo({ cwd });
    await main(["status", demo, "--json"], json);
    const [status] = jsonLines(json);
    expect(status).toMatchObject({
      settings: expect.arrayContaining([
        {
          setting: "launch.timeoutSeconds",
          key: "LAUNCH_TIMEOUT_SECONDS",
          value: "700",
          file: "clusters/defaults-eu-west-1.json",
          deployed: "800",
        },
      ]),
    });
  });

  it("plan tells, but not of what an option overrules", async () => {
    await aSite({ settings });
    const io = capturedIo({ cwd: files() });
    await main(["plan", demo, "--deadline", "10m"], io);
    expect(io.out()).toContain("by clusters/demo.json: drain.mode evict\n");
    expect(io.out()).toContain(words[1]);
  });
});
