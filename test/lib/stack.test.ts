import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { everythingOn } from "./everything-on.ts";
import { resourcesOf, sample, sampleWebhook, synthesised } from "./synthesised.ts";

const template = synthesised();
const resources = resourcesOf(template);

const ofType = (type: string) =>
  Object.entries(resources)
    .filter(([, resource]) => resource.Type === type)
    .map(([id]) => id)
    .sort();

/** A template as it is recorded: a bundle changes with the code of its function. */
const withoutHashes = (text: string): string => text.replace(/[0-9a-f]{64}/g, "HASH");

/** The entries of a part of a template that the sample's does not have so. */
const besidesSample = (entries: object, usual: object) =>
  Object.fromEntries(
    Object.entries(entries).filter(
      ([id, entry]) => !isDeepStrictEqual(entry, new Map(Object.entries(usual)).get(id)),
    ),
  );

describe("the stack", () => {
  it("of the sample cluster is the same as in the last reviewed template", async () => {
    const text = `${JSON.stringify(template.toJSON(), null, 2)}\n`;
    await expect(withoutHashes(text)).toMatchFileSnapshot("sample-template.txt");
  });

  it("with everything on has, besides the sample's, the same as in the last reviewed template", async () => {
    const { Resources, Outputs } = synthesised({
      ...everythingOn,
      drain: { ...everythingOn.drain, makeRoom: "annotated", taint: "example.com/own:NoSchedule" },
      function: { ...sample.function, tracing: "on", reservedConcurrency: 12 },
      repair: { atOnce: "10%", mode: "dry-run" },
      apiPriority: "own",
      alarms: { ...sample.alarms, topicArns: ["arn:aws:sns:eu-west-1:123456789012:on-call"] },
      webhook: { ...sampleWebhook, format: "json", template: { text: "{{title}}" } },
      privateEndpoints: ["ec2", "sqs"],
      privateEndpointsAdmit: ["10.0.0.0/16", "sg-0a1b2c3d", "fd00::/8"],
      httpsTo: ["10.0.0.0/16", "sg-0a1b2c3d"],
      dnsServers: ["10.0.0.2", "FD00::2"],
    }).toJSON();
    const { Resources: usual, Outputs: told } = template.toJSON();
    const besides = {
      Resources: besidesSample(Resources, usual),
      Outputs: besidesSample(Outputs, told),
    };
    const text = stringify(besides, { aliasDuplicateObjects: false, lineWidth: 0 });
    await expect(withoutHashes(text)).toMatchFileSnapshot("everything-on.txt");
  });
});

/** All that a resource needs before it can be made. */
function needs(id: string, seen = new Set<string>()): ReadonlySet<string> {
  for (const other of referencesOf(resources[id])) {
    if (!(other in resources) || seen.has(other)) continue;
    seen.add(other);
    needs(other, seen);
  }
  return seen;
}

function referencesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesOf);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "Ref" && typeof inner === "string") return [inner];
    if (key === "DependsOn") return [inner].flat().map(String);
    if (key === "Fn::GetAtt" && Array.isArray(inner)) return [String(inner[0])];
    return referencesOf(inner);
  });
}

describe("a teardown", () => {
  const hooks = ofType("AWS::AutoScaling::LifecycleHook");

  it.each(hooks)("removes %s while everything that answers it is still there", (hook) => {
    const needed = [...needs(hook)].map((id) => resources[id]?.Type);
    expect(needed).toEqual(
      expect.arrayContaining([
        "AWS::EKS::AccessEntry",
        "AWS::EC2::SecurityGroupIngress",
        "AWS::IAM::Policy",
        "AWS::Lambda::EventSourceMapping",
        "AWS::Lambda::Function",
        "AWS::Logs::LogGroup",
        "AWS::SNS::Subscription",
        "AWS::SNS::Topic",
        "AWS::SNS::TopicPolicy",
        "AWS::SQS::Queue",
        "AWS::SQS::QueuePolicy",
        "Custom::EksNodeLifecycleAccess",
      ]),
    );
  });

  it("finds no other resource that needs a hook", () => {
    const others = Object.keys(resources).filter((id) => !hooks.includes(id));
    expect(others.filter((id) => hooks.some((hook) => needs(id).has(hook)))).toEqual([]);
  });

  it("removes the rights in the cluster while the deployer still has access", () => {
    const [rights = ""] = ofType("Custom::EksNodeLifecycleAccess");
    const needed = [...needs(rights)];
    expect(needed).toEqual(expect.arrayContaining(ofType("AWS::EKS::AccessEntry")));
    expect(needed).toEqual(expect.arrayContaining(ofType("AWS::EC2::SecurityGroupIngress")));
  });

  it("leaves nothing behind", () => {
    const kept = Object.entries(resources).filter(
      ([, resource]) => "DeletionPolicy" in resource && resource.DeletionPolicy === "Retain",
    );
    expect(kept).toEqual([]);
  });
});
