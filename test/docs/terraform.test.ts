import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stackName } from "../../lib/stack-name.ts";
import { declared } from "../../tools/generate/template/declared.ts";
import { parameters } from "../../tools/generate/template/parameters.ts";
import { templateName } from "../../tools/generate/template/release.ts";
import { readHcl } from "./read-hcl.ts";

const page = readFileSync("docs/other-ways.md", "utf8");
const [, hcl = ""] = /```hcl\n([\s\S]*?)```/.exec(page) ?? [];

describe("docs/other-ways.md", () => {
  const { labels, attributes } = readHcl(hcl);
  const given = attributes.get("parameters");
  const all = Object.values(parameters).flat();

  it("deploys the template by a resource of some fifteen lines", () => {
    expect(labels).toEqual(["resource", "aws_cloudformation_stack", "node_lifecycle"]);
    expect(hcl.trim().split("\n").length).toBeLessThanOrEqual(16);
    expect(attributes.get("name")).toBe(stackName("demo"));
    const [, key = "no key"] =
      /^aws s3 cp dist\/release\/\S+ s3:\/\/[^/]+\/(\S+)$/m.exec(page) ?? [];
    expect(key).toMatch(/-\d+\.\d+\.\d+\.template\.json$/);
    expect(key.replace(/-\d+\.\d+\.\d+/, "")).toBe(templateName);
    expect(attributes.get("template_url")).toMatch(new RegExp(`/${key}$`));
    expect(attributes.get("capabilities")).toEqual(["CAPABILITY_IAM"]);
    expect(attributes.get("template_url")).toContain("//platform-eu-west-1.");
    expect(given instanceof Map && given.get("CodeBucketPrefix")).toBe("platform");
    expect(given instanceof Map && given.get("DrainMode")).toBe("dry-run");
  });

  it("gives each parameter that has to be given, and none that there is not", () => {
    const names = given instanceof Map ? [...given.keys()] : [];
    const needed = all.filter((one) => !("Default" in declared(one))).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(needed));
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    for (const name of needed) expect(page).toContain(`\`${name}\``);
  });

  it("names the subnets that have no internet gateway, by the main route table where they name none", () => {
    const [, subnets = ""] = Array.from(
      page.matchAll(/```hcl\n([\s\S]*?)```/g),
      ([, block]) => block,
    );
    expect(given instanceof Map && given.get("SubnetIds")).toEqual({
      call: "join",
      items: [",", { reference: "local.private_subnets" }],
    });
    expect(subnets).toMatch(
      /^ {2}private_subnets = .*!anytrue\(.*startswith\(route\.gateway_id, "igw-"\)/m,
    );
    expect(subnets).toMatch(
      /associations\[\*\]\.subnet_id, id\)\],\n.*associations\[\*\]\.main, true\)\],/,
    );
    expect(page).toContain("`ec2:DescribeRouteTables`");
  });

  it("and the section about StackSets name parameters that there are", () => {
    const [, section = ""] = readFileSync("docs/many-clusters.md", "utf8").split("## By StackSets");
    const named = [...section.matchAll(/`((?:[A-Z][a-z]+){2,})`/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
  });
});
