import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { accessVerdict } from "../../../cli/doctor/access.ts";
import { missingGroups } from "../../../cli/doctor/hooks.ts";
import { lastWords } from "../../../cli/doctor/last-drain.ts";
import { linkTable } from "../../../cli/doctor/links.ts";
import { networkVerdict } from "../../../cli/doctor/network.ts";
import {
  type LinkFinding,
  reportLines,
  reportLinesOfOne,
  reportOf,
} from "../../../cli/doctor/report.ts";
import { doorsVerdict } from "../../../cli/doctor/security-groups.ts";
import { main } from "../../../cli/main.ts";
import { groupName } from "../../../lambda/base/ids.ts";
import { readMarkdown } from "../../docs/read-markdown.ts";
import { aScalingGroup } from "../../group/group-builders.ts";
import { noon } from "../../support/builders.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite } from "../connect/a-site.ts";
import { jsonLines } from "../json-lines-schema.ts";

const well: LinkFinding = { link: "queue", state: "ok", found: "fine", remedy: "" };
const broken: LinkFinding = { link: "hooks", state: "broken", found: "no hook", remedy: "put it" };
const demo = { cluster: "demo", region: "eu-west-1", which: "each" } as const;
const unknown: LinkFinding = {
  link: "rbac",
  state: "unknown",
  found: "denied",
  remedy: "allow it",
};

describe("the report", () => {
  it("has the links in the order of a notice, and the remedy below what is not well", () => {
    const report = reportOf(demo, [unknown, well, broken]);

    expect(reportLines(report).map(({ depth, text }) => `${"  ".repeat(depth)}${text}`)).toEqual([
      "broken   hooks: no hook",
      "  remedy: put it (docs/deploy.md#what-is-deployed)",
      "ok       queue: fine",
      "unknown  rbac: denied",
      "  remedy: allow it (docs/runbook.md#clusterforbidden)",
      "demo: 1 broken, 1 unknown, 1 of 3 links are well",
      "once all is well, `verify demo --group GROUP` tries it with an instance",
    ]);
  });

  it("stands below the name of its cluster where there are several, without what is well", () => {
    const report = reportOf({ ...demo, which: "not well" }, [well, broken]);
    expect(
      reportLinesOfOne(report).map(({ depth, text }) => `${"  ".repeat(depth)}${text}`),
    ).toEqual([
      "demo in eu-west-1: 1 broken, 1 of 2 links are well",
      "  broken   hooks: no hook",
      "    remedy: put it (docs/deploy.md#what-is-deployed)",
    ]);
  });

  it("ends with the way to try it all", () => {
    expect(reportLines(reportOf(demo, [well])).at(-1)?.text).toBe(
      "`verify demo --group GROUP` tries it with an instance",
    );
  });

  it("tells once what is the same for several links, and a remedy once for all before it", () => {
    const apply = { ...broken, link: "fences" as const, remedy: "apply them" };
    const findings: readonly LinkFinding[] = [
      broken,
      { ...broken, link: "topic" as const },
      apply,
      { ...apply, found: "no binding" },
    ];

    expect(reportLines(reportOf(demo, findings)).map(({ text }) => text)).toEqual([
      "broken   hooks, topic: no hook",
      "remedy: put it (docs/deploy.md#what-is-deployed)",
      "broken   fences: no hook",
      "broken   fences: no binding",
      "remedy: apply them (docs/rights.md#access-to-the-cluster)",
      "demo: 3 broken, 0 of 3 links are well",
      "once all is well, `verify demo --group GROUP` tries it with an instance",
    ]);
  });

  it.each([
    [0, [well]],
    [1, [well, unknown]],
    [3, [well, unknown, broken]],
    [3, [{ ...well, state: "absent" as const }]],
  ])("has the exit code %i", (code, findings) => {
    expect(reportOf(demo, findings).exitCode).toBe(code);
  });

  it("names chapters that the documents have", () => {
    const files = [
      "docs/capacity-blocks.md",
      "docs/deploy.md",
      "docs/private-clusters.md",
      "docs/repair.md",
      "docs/rights.md",
      "docs/runbook.md",
      "docs/upgrade.md",
    ];
    const headings = files.flatMap((file) =>
      readMarkdown(readFileSync(file, "utf8")).sections.map(({ anchor }) => `${file}#${anchor}`),
    );

    expect(Object.values(linkTable).filter(({ see }) => !headings.includes(see))).toEqual([]);
  });
});

it("doctor without credentials says so, and nothing else", async () => {
  const nowhere = {
    AWS_REGION: "eu-west-1",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_SHARED_CREDENTIALS_FILE: "/nowhere",
    AWS_CONFIG_FILE: "/nowhere",
  };
  for (const [name, value] of Object.entries(nowhere)) vi.stubEnv(name, value);
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"])
    vi.stubEnv(name, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const io = capturedIo();

  expect(await main(["doctor", "demo", "--json"], io)).toBe(1);

  expect(jsonLines(io)).toMatchObject([
    {
      region: "eu-west-1",
      links: [{ link: "credentials", state: "unknown", remedy: "sign in, or give --profile" }],
    },
  ]);
});

it("doctor says that AWS does not take the credentials, and nothing else", async () => {
  await aSite();
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIANOBODY");
  const io = capturedIo();

  expect(await main(["doctor", "demo"], io)).toBe(1);

  expect(io.out()).toMatch(
    /^unknown {2}credentials: AWS does not take the credentials: .*[^.]\n {2}remedy: sign in again, or give --profile/,
  );
  expect(io.out()).toContain("demo: 1 unknown, 0 of 1 links are well\n");
});

it("a group that the deployment names has to be there", () => {
  const managed = [groupName("workers"), groupName("gone"), { key: "team", value: "a" }];
  const there = [aScalingGroup({ name: groupName("workers") })];

  expect(missingGroups(managed, there).map(({ found }) => found)).toEqual([
    "group gone of the deployment is not in this account and Region",
  ]);
});

describe("the network", () => {
  const subnet = { SubnetId: "a", VpcId: "vpc", CidrBlock: "10.0.1.0/24" };
  const endpoint = (service: string) => ({
    ServiceName: `com.amazonaws.eu-west-1.${service}`,
    VpcId: "vpc",
    State: "Available" as const,
    PrivateDnsEnabled: true,
  });
  const closed = {
    subnets: [subnet],
    routeTables: [],
    services: ["sqs", "eks"],
    endpoints: [endpoint("sqs"), endpoint("eks")],
    apiServer: "in the VPC" as const,
  };

  it("needs no way out where it has an endpoint for every API", () => {
    expect(networkVerdict(closed).problems).toEqual([]);
    expect(networkVerdict({ ...closed, endpoints: [endpoint("sqs")] }).problems).toMatchObject([
      { found: expect.stringMatching(/no endpoint for eks$/) },
    ]);
  });

  it("needs a way out where the API server is outside", () => {
    expect(networkVerdict({ ...closed, apiServer: "outside" }).problems).toMatchObject([
      { found: expect.stringContaining("no endpoint for the API server of the cluster") },
    ]);
  });

  it("takes the main route table for a subnet without its own", () => {
    const Routes = [{ DestinationCidrBlock: "0.0.0.0/0", TransitGatewayId: "tgw-1" }];
    const main = { VpcId: "vpc", Associations: [{ Main: true }], Routes };

    expect(networkVerdict({ ...closed, routeTables: [main], endpoints: [] }).problems).toEqual([]);
  });

  it.each([
    ["10.0.0.0/16", 443, 0],
    ["10.0.2.0/24", 443, 1],
    ["10.0.0.0/16", 80, 1],
  ])("lets the function in from %s on port %i: %i problems", (CidrIp, port, count) => {
    const rule = { IpProtocol: "tcp", FromPort: port, ToPort: port, IpRanges: [{ CidrIp }] };
    const all = { IpProtocol: "-1", IpRanges: [{ CidrIp: "0.0.0.0/0" }] };
    const functions = [{ GroupId: "own", IpPermissionsEgress: [all] }];
    const cluster = [{ GroupId: "cluster", IpPermissions: [rule] }];

    expect(doorsVerdict({ functions, cluster, subnets: [subnet] }).problems).toHaveLength(count);
  });
});

it.each([
  [
    "nothing",
    { state: "ok", found: expect.stringMatching(/^aws-auth: user eks-node-lifecycle, /) },
  ],
  ["token-refused", { state: "broken", found: expect.stringContaining("does not admit role") }],
] as const)(
  "a cluster of mode CONFIG_MAP where %s is broken tells the access",
  async (broken, its) => {
    await aSite({ broken });
    const io = capturedIo();

    await main(["doctor", "demo", "--json"], io);

    const rbac = { link: "rbac", state: "ok" };
    const links = expect.arrayContaining([
      expect.objectContaining({ link: "access", ...its }),
      expect.objectContaining(rbac),
    ]);
    expect(jsonLines(io)).toMatchObject([{ kind: "doctor", links }]);
  },
);

it("a role without a mapping in aws-auth gets it by hand", () => {
  const place = { cluster: "demo", role: "arn", mode: "CONFIG_MAP", group: "eks-node-lifecycle" };

  expect(accessVerdict(place, "none").problems).toMatchObject([
    {
      found: "cluster demo does not admit role arn: it has no mapping in aws-auth",
      remedy: expect.stringContaining("AwsAuthMapping"),
    },
  ]);
});

it("the last drain and the last fault are told", () => {
  const done = { kind: "notice-done", notice: "terminating i-1 of workers" } as const;
  const outcome = { kind: "drained", attached: [], stuck: [] } as const;
  const fault = { kind: "fault", code: "aws.denied", message: "no", retryable: true } as const;

  expect(
    lastWords([
      { ...done, outcome, at: noon },
      { ...fault, at: noon },
    ]),
  ).toMatch(
    /^terminating i-1 of workers ended as drained at \S+Z; the last fault was at \S+Z: no$/,
  );
  expect(lastWords([])).toBe("nothing was done in the last day; no fault in the last day");
});
