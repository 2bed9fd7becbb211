import { App, Stage } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import { NodeLifecycleStack } from "../../lib/node-lifecycle-stack.ts";
import { Aws } from "../../sandbox/aws/aws.ts";
import { deployTemplate, type Synthesised, stackOf } from "../../sandbox/stack/deploy-template.ts";
import { properties } from "../../sandbox/stack/template-schema.ts";
import { type StackUpdate, updateSubscriptions } from "../../sandbox/stack/update-subscriptions.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";
import { deployable } from "./deployable.ts";
import { everythingOn } from "./everything-on.ts";
import { sample } from "./synthesised.ts";

/** The sample's stack, with groups that have a tag and so no hooks. */
function made(id: string, scopeIn: (app: App) => Construct = (app) => app): Synthesised {
  const app = new App();
  const { groupTag } = everythingOn;
  const config = { ...sample, groups: [], ...(groupTag && { groupTag }) };
  return deployable(app, new NodeLifecycleStack(scopeIn(app), id, config));
}

/** The same stack, whose subscription has another id, as that of `SqsSubscription` had in another path. */
function withAnotherId({ template, bundle }: Synthesised): Synthesised {
  const renamed = Object.entries(template.Resources).map(([id, resource]) =>
    resource.Type === "AWS::SNS::Subscription" ? [`${id}Renamed`, resource] : [id, resource],
  );
  return { template: { ...template, Resources: Object.fromEntries(renamed) }, bundle };
}

/** How many notices come into the queue when the topic gets one, after each of some updates of the sample's stack. */
function noticesAfter(updates: readonly (readonly [Synthesised, StackUpdate["ends"]])[]) {
  const account = { partition: "aws", region: sample.cluster.region, id: "123456789012" };
  const aws = new Aws(new WallTimeline(), account);
  aws.eks.createCluster({
    name: sample.cluster.name,
    authenticationMode: "API",
    version: "1.36",
    endpoint: "https://localhost",
    certificateAuthority: "",
  });
  const addresses = { url: "http://localhost", queueUrl: (name: string) => name };
  const world = { aws, addresses, log: () => undefined };
  const first = made("Sample");
  deployTemplate(first, world);
  let from = stackOf(first, world);
  const { its } = from.resources.one("AWS::SNS::Subscription", properties.subscription);
  const topic = from.names.text(its.TopicArn);
  const queue = aws.sqs.findQueue(from.names.idOf(its.Endpoint));
  return updates.map(([synthesised, ends]) => {
    const to = stackOf(synthesised, world);
    updateSubscriptions({ from, to, ends });
    if (ends === "done") from = to;
    const before = queue.contents().length;
    aws.sns.publish(topic, { subject: "", message: "{}" });
    return queue.contents().length - before;
  });
}

describe("notices come into the queue", () => {
  it.each<[string, () => Synthesised]>([
    ["its file has another name", () => made("Sample-eu-west-1")],
    ["it is in a Stage", () => made("Sample", (app) => new Stage(app, "Production"))],
  ])("after an update of a stack, and after one that is rolled back, when %s", (_, changed) => {
    const to = changed();

    expect(
      noticesAfter([
        [to, "rolled back"],
        [to, "done"],
        [to, "done"],
      ]),
    ).toEqual([1, 1, 1]);
  });

  it.each(["done", "rolled back"] as const)(
    "no more if the subscription has another id in an update that is %s, for SNS gives it the ARN of the first",
    (ends) => {
      const first = made("Sample");

      // The next deployment finds no changes, and brings nothing back.
      expect(
        noticesAfter([
          [first, "done"],
          [withAnotherId(first), ends],
          [ends === "done" ? withAnotherId(first) : first, "done"],
        ]),
      ).toEqual([1, 0, 0]);
    },
  );
});
