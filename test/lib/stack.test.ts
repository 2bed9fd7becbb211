import { describe, expect, it } from "vitest";
import { resourcesOf, synthesised } from "./synthesised.ts";

const template = synthesised();
const resources = resourcesOf(template);

const ofType = (type: string) =>
  Object.entries(resources)
    .filter(([, resource]) => resource.Type === type)
    .map(([id]) => id)
    .sort();

describe("the stack of the sample cluster", () => {
  it("is the same as in the last reviewed template", async () => {
    // The bundle changes with the code of the functions.
    const text = JSON.stringify(template.toJSON(), null, 2).replace(/[0-9a-f]{64}/g, "HASH");
    await expect(`${text}\n`).toMatchFileSnapshot("sample-template.txt");
  });

  it("keeps the logical IDs of resources with a state, so that an upgrade does not replace them", () => {
    expect({
      topics: ofType("AWS::SNS::Topic"),
      queues: ofType("AWS::SQS::Queue"),
      keys: ofType("AWS::KMS::Key"),
      hooks: ofType("AWS::AutoScaling::LifecycleHook"),
      logs: ofType("AWS::Logs::LogGroup"),
      entries: ofType("AWS::EKS::AccessEntry"),
      roles: ofType("AWS::IAM::Role"),
      rights: ofType("Custom::EksNodeLifecycleAccess"),
      subscriptions: ofType("AWS::SNS::Subscription"),
      mappings: ofType("AWS::Lambda::EventSourceMapping"),
      functions: ofType("AWS::Lambda::Function"),
      rules: ofType("AWS::Events::Rule"),
      securityGroups: ofType("AWS::EC2::SecurityGroup"),
      ingress: ofType("AWS::EC2::SecurityGroupIngress"),
    }).toMatchInlineSnapshot(`
      {
        "entries": [
          "NodeLifecycleAccessDeployerEntryF27C700D",
          "NodeLifecycleAccessNodeEntryCBB6829A",
        ],
        "functions": [
          "NodeLifecycleAccessDeployerECBCFD11",
          "NodeLifecycleAccessProviderframeworkonEvent7543FCF8",
          "NodeLifecycleNodeFunction77A28F79",
        ],
        "hooks": [
          "NodeLifecycleHooksLaunchworkers2653E935",
          "NodeLifecycleHooksTerminateworkersA53B12D5",
        ],
        "ingress": [
          "NodeLifecycleNetworkClusterIngress32226860",
        ],
        "keys": [
          "NodeLifecycleNoticesKey738BAE74",
        ],
        "logs": [
          "NodeLifecycleAccessDeployerLogs03C10992",
          "NodeLifecycleAccessProviderLogs3BD295E8",
          "NodeLifecycleNodeLogs21E8A550",
        ],
        "mappings": [
          "NodeLifecycleNodeMappingC2D880EF",
        ],
        "queues": [
          "NodeLifecycleInboxDeadLetters33746100",
          "NodeLifecycleInboxQueue8FA33919",
        ],
        "rights": [
          "NodeLifecycleAccessRights93470C93",
        ],
        "roles": [
          "NodeLifecycleAccessDeployerRole083468B8",
          "NodeLifecycleAccessProviderRole34228531",
          "NodeLifecycleHooksRole4B899CD9",
          "NodeLifecycleNodeRole02647838",
        ],
        "rules": [
          "NodeLifecycleEventsRebalanceRecommendation1B90F32C",
          "NodeLifecycleEventsScheduledChange4B0595DA",
          "NodeLifecycleEventsSpotInterruption051E907D",
          "NodeLifecycleEventsStateChange9FC2D695",
        ],
        "securityGroups": [
          "NodeLifecycleNetworkSecurityGroupAB02D082",
        ],
        "subscriptions": [
          "NodeLifecycleInboxQueueSampleNodeLifecycleNoticesTopicAF364C81D837CE53",
        ],
        "topics": [
          "NodeLifecycleNoticesTopic3CE33BBD",
        ],
      }
    `);
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
