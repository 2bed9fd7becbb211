import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readClusterConfig } from "../../../lib/cluster-file/read-cluster-config.ts";
import { Refusal } from "../../../lib/refusal.ts";
import { anyCluster } from "../../../tools/generate/template/any-cluster.ts";
import type { Json, JsonMap } from "../../../tools/generate/template/json.ts";
import { parameters } from "../../../tools/generate/template/parameters.ts";
import { differences } from "./differences.ts";
import { type Conditional, misfits, refusals } from "./evaluated.ts";
import { fiveClusters } from "./five-clusters.ts";
import { toldDifferences } from "./told-differences.ts";

const folder = mkdtempSync(join(tmpdir(), "form-"));
const template = anyCluster(folder) as JsonMap & Conditional;
const rules = template["Rules"] as Readonly<Record<string, JsonMap>>;
afterAll(() => rmSync(folder, { recursive: true }));

const all = Object.values(parameters).flat();
const everything = fiveClusters.find(({ about }) => about.includes("everything"));
const { values = {} } = everything ?? {};
/** Its file, which says the account too. */
const file: JsonMap = {
  ...everything?.file,
  cluster: { ...(everything?.file["cluster"] as JsonMap), account: "123456789012" },
};

const inForm = (its: Readonly<Record<string, string>>) => [
  ...misfits(template, its),
  ...refusals(template, rules, { ...values, ...its }),
];

/** The file with another value at a place. */
function inFile(path: string, value: Json): string {
  const [key = "", ...rest] = path.split(".");
  const put = (at: JsonMap, [field = "", ...more]: readonly string[]): JsonMap => ({
    ...at,
    [field]: more.length === 0 ? value : put(at[field] as JsonMap, more),
  });
  return JSON.stringify(put(file, [key, ...rest]));
}

const dollar = "$";
const role = "arn:aws:iam::123456789012:role/nodes";
const secret = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:drains-a1B2c3";

/** Texts that would give a role more than it should have, or break what reads them. */
const hostile: Readonly<Record<string, readonly string[]>> = {
  ClusterName: ["*", "demo/*", "demo?*", "-demo", "demo ", "demo\n", `${dollar}{AWS::AccountId}`],
  GroupNames: [
    "*",
    "work*",
    "workers?*",
    "workers?",
    "?",
    "a:b",
    `${dollar}{aws:username}`,
    "#{Token[TOKEN.4]}",
    " workers",
    "workers ",
    "workers\n",
    "a".repeat(256),
  ],
  NodeRoleArns: [
    "*",
    "?*",
    `${role}?*`,
    `${role}*`,
    role.replace("123456789012", "*"),
    role.slice(0, -5),
    role.replace("aws", "*"),
    role.replace("aws", "awsx"),
    role.replace("aws", "aws-"),
    `${role}/`,
    role.replace("nodes", "/nodes"),
    role.replace("nodes", "a".repeat(65)),
    role.replace("nodes", `${"a/".repeat(256)}nodes`),
    role.replace("aws", "a?*?b"),
    `${role}/${dollar}{aws:username}`,
    ` ${role}`,
    `${role} `,
    `${role}\n`,
    "nodes",
    "",
  ],
  LaunchTemplateIds: ["*", "lt-*", "lt-0123456789abcdef0?*", "?*", " lt-0123456789abcdef0", "lt-"],
  AlarmTopicArns: [
    "arn:awsx:sns:eu-west-1:123456789012:pagers",
    "*",
    "arn:aws:sns:*:123456789012:pagers",
    "arn:aws:sns:eu-west-1:*:pagers",
  ],
  WebhookSecretArn: [
    "*",
    `${secret.slice(0, -6)}*`,
    secret.replace("eu-west-1", "*"),
    secret.replace("aws", "aws-"),
    `${secret}?*`,
  ],
  DrainMode: ["EVICT", "evict ", "*", ""],
  Upgrades: ["yes", ""],
  RepairAtOnce: ["0", "101", "101%", "50 %", "-1", "*", ""],
};

const cases = Object.entries(hostile).flatMap(([name, texts]) =>
  texts.map((text) => ({ name, text })),
);

describe("a value that no cluster's file may have", () => {
  it.each(cases)("is refused by file and form alike: $name of $text", ({ name, text }) => {
    const one = all.find((its) => its.name === name);
    const value = one?.kind === "list" ? [text] : text;
    expect(() => readClusterConfig(inFile(one?.path ?? "", value), "the file")).toThrow(Refusal);
    expect(inForm({ [name]: text })).not.toEqual([]);
  });

  it.each([
    { name: "DrainTimeoutSeconds", numbers: [29, 172_801, 900.5, -900] },
    { name: "RepairPerHour", numbers: [0, 21, 1.5] },
  ])("is refused by both also where it is a number: $name", ({ name, numbers }) => {
    const path = all.find((its) => its.name === name)?.path ?? "";
    for (const one of numbers) {
      expect(() => readClusterConfig(inFile(path, one), "the file")).toThrow(Refusal);
      expect(inForm({ [name]: String(one) })).toHaveLength(1);
    }
  });
});

/** What one door takes and the other does not, by values that are well-formed. */
const doors: readonly {
  readonly name: string;
  readonly form: Readonly<Record<string, string>>;
  readonly file: readonly [path: string, value: Json];
  readonly takenBy: "file" | "form";
}[] = [
  {
    name: "`GroupNames`",
    form: { GroupNames: 'odd "name"' },
    file: ["groups", ['odd "name"']],
    takenBy: "file",
  },
  ...["arn:aws:iam::999988887777:role/nodes", "arn:aws-cn:iam::123456789012:role/nodes"].map(
    (other) =>
      ({
        name: "`NodeRoleArns`: another account or partition",
        form: { NodeRoleArns: other },
        file: ["nodeRoleArns", [other]],
        takenBy: "form",
      }) as const,
  ),
  {
    name: "`AlarmTopicArns`: another Region",
    form: { AlarmTopicArns: "arn:aws:sns:eu-north-1:123456789012:pagers" },
    file: ["alarms.topicArns", ["arn:aws:sns:eu-north-1:123456789012:pagers"]],
    takenBy: "form",
  },
  {
    name: "`WebhookSecretArn`: another Region",
    form: { WebhookSecretArn: secret.replace("eu-west-1", "eu-north-1") },
    file: ["webhook.secretArn", secret.replace("eu-west-1", "eu-north-1")],
    takenBy: "form",
  },
  ...[
    { name: "GroupNames", path: "groups", items: ["workers", "workers"] },
    { name: "NodeRoleArns", path: "nodeRoleArns", items: [role, role] },
    {
      name: "AlarmTopicArns",
      path: "alarms.topicArns",
      items: [1, 2, 3, 4, 5, 6].map((at) => `arn:aws:sns:eu-west-1:123456789012:pager-${at}`),
    },
  ].map(
    ({ name, path, items }) =>
      ({
        name: "an item twice in a list, more than five `AlarmTopicArns` or 16 `SubnetIds`",
        form: { [name]: items.join(",") },
        file: [path, items],
        takenBy: "form",
      }) as const,
  ),
  {
    name: "`VpcId`, `SubnetIds`, `ClusterSecurityGroupId`",
    form: { VpcId: "a VPC that CloudFormation does not find" },
    file: ["cluster.vpcId", "a VPC that CloudFormation does not find"],
    takenBy: "form",
  },
];

describe("the form differs from a cluster's file, as its page says,", () => {
  it.each(doors)("in $name", ({ name, form, file: [path, value], takenBy }) => {
    const taking = () => readClusterConfig(inFile(path, value), "the file");
    if (takenBy === "file") expect(taking).not.toThrow();
    else expect(taking).toThrow(Refusal);
    expect(inForm(form).length === 0).toBe(takenBy === "form");
    expect(toldDifferences()).toContain(name);
  });

  it("in no default but that of the mode", () => {
    const settings = all.filter(({ kind }) => kind === "setting");
    const others = settings.filter(({ usual, placeholder }) => usual !== placeholder);
    expect(others.map(({ name, usual, placeholder }) => [name, usual, placeholder])).toEqual([
      ["DrainMode", "dry-run", "evict"],
    ]);
    expect(toldDifferences()).toContain("`DrainMode`");
  });

  it("in nothing else that its page says", () => {
    const known = [...doors, ...differences].map(({ name }) => name);
    expect(toldDifferences().filter((name) => !known.includes(name))).toEqual(["`DrainMode`"]);
  });
});

describe("the form", () => {
  it("takes the values of every cluster that its file may have", () => {
    for (const cluster of fiveClusters) expect(misfits(template, cluster.values)).toEqual([]);
  });

  it("says what a parameter has to be", () => {
    expect(inForm({ GroupNames: "workers?*" })).toEqual([
      "Parameter GroupNames has to be a list with a comma between two items, and each item the whole name of one Auto Scaling group, such as workers: no wildcard, no colon, no blank around it, no quotation mark, no backslash, no group of a managed node group",
    ]);
    expect(inForm({ DrainTimeoutSeconds: "15m" })).toEqual([
      "Parameter DrainTimeoutSeconds has to be a whole number from 30 to 172800",
    ]);
  });

  it("takes no group of a managed node group, whose hooks would be overwritten", () => {
    const uuid = "02c1ba5d-75b6-fbdf-4569-aa31827ad412";
    for (const text of [`eks-workers-${uuid}`, `eks-${uuid}`, `workers,eks-workers-${uuid}`])
      expect(inForm({ GroupNames: text }), text).toHaveLength(1);
    expect(inForm({ GroupNames: `eks-workers,workers-${uuid}` })).toEqual([]);
  });

  it.each(["GroupNames", "LaunchTemplateIds", "AlarmTopicArns"])(
    "refuses a comma at an end of %s, and two beside each other",
    (name) => {
      const [first = ""] = (values[name] ?? "").split(",");
      const says = [`${name} has a comma too many: each comma has to stand between two items`];
      for (const text of [`${first},`, `,${first}`, `${first},,${first}`])
        expect(inForm({ [name]: text })).toEqual(says);
      expect(inForm({ [name]: `${first},${first}` })).toEqual([]);
    },
  );

  it("judges every parameter, by itself or by asking for it in the account", () => {
    for (const [name, its] of Object.entries(template.Parameters)) {
      const judged = ["AllowedPattern", "AllowedValues"].some((key) => key in its);
      expect(judged || /AWS::EC2::/.test(String(its["Type"])), name).toBe(true);
      expect("ConstraintDescription" in its, name).toBe("AllowedPattern" in its);
    }
  });

  /** `?` stands between the items of a list, `*` is a wildcard of IAM, and the rest would end a text of JSON. */
  const barred = ["?", "*", '"', "\\", "\n", `${dollar}{`];

  const judged = fiveClusters
    .flatMap((cluster) => Object.entries(cluster.values))
    .filter(([name]) => template.Parameters[name]?.["AllowedPattern"] !== undefined);

  it.each(barred)("takes no %j at any place of any value", (sign) => {
    const changed = judged.flatMap(([name, text]) =>
      Array.from({ length: text.length + 1 }, (_, at) => {
        const before = text.slice(0, at);
        return { [name]: `${before}${sign}${text.slice(at)}` };
      }),
    );
    expect(changed.length).toBeGreaterThan(500);
    expect(changed.filter((one) => misfits(template, one).length === 0)).toEqual([]);
  });
});
