import { AutoScalingClient, type AutoScalingClientConfig } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AutoScalingGroups } from "../../lambda/aws/auto-scaling-groups.ts";
import { Ec2Instances } from "../../lambda/aws/ec2-instances.ts";
import { inParts } from "../../lambda/aws/in-parts.ts";
import { groupName, instanceId } from "../../lambda/base/ids.ts";
import { account, aServedAccount } from "../support/aws-account.ts";

const ids = (count: number) =>
  Array.from({ length: count }, (_, at) => instanceId(`i-${String(at).padStart(17, "0")}`));

/** Counts what is under way at once. */
function counting() {
  let [underWay, most, all] = [0, 0, 0];
  return {
    counted: async <T>(work: () => Promise<T>): Promise<T> => {
      underWay += 1;
      all += 1;
      most = Math.max(most, underWay);
      try {
        return await work();
      } finally {
        underWay -= 1;
      }
    },
    seen: () => ({ most, all }),
  };
}

/** The adapters to a served account, and how many of their requests were under way at once. */
async function someAdapters() {
  const { server, key } = await aServedAccount();
  const { counted, seen } = counting();
  const options: AutoScalingClientConfig = {
    endpoint: server.url,
    region: account.region,
    credentials: key,
    maxAttempts: 1,
  };
  const [autoScaling, ec2] = [new AutoScalingClient(options), new EC2Client(options)];
  autoScaling.middlewareStack.add((next) => (args) => counted(() => next(args)));
  ec2.middlewareStack.add((next) => (args) => counted(() => next(args)));
  return { groups: new AutoScalingGroups(autoScaling), instances: new Ec2Instances(ec2), seen };
}

describe("questions about many", () => {
  it.each<
    [string, (adapters: Awaited<ReturnType<typeof someAdapters>>) => Promise<unknown>, number]
  >([
    ["the groups of 2,000 instances", ({ groups }) => groups.memberships(ids(2000)), 40],
    ["the tags of 1,000 groups", ({ groups }) => groups.tagsOf(ids(1000).map(groupName)), 20],
    ["the names of 4,000 instances", ({ instances }) => instances.namesOf(ids(4000)), 20],
    ["the former groups of 4,000", ({ instances }) => instances.groupsOf(ids(4000)), 20],
  ])("send %s by few requests, and four of these at once", async (_, question, requests) => {
    const { seen, ...adapters } = await someAdapters();
    await question({ seen, ...adapters });
    expect(seen()).toEqual({ most: 4, all: requests });
  });

  it("never have more in a request or under way than they may, and lose nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(2000), fc.integer({ min: 1, max: 200 }), async (count, most) => {
        const { counted, seen } = counting();
        const items = Array.from({ length: count }, (_, at) => at);
        const answers = await inParts(items, most, (part) =>
          counted(async () => {
            expect(part.length).toBeLessThanOrEqual(most);
            await Promise.resolve();
            return part;
          }),
        );
        expect(answers).toEqual(items);
        expect(seen().most).toBeLessThanOrEqual(4);
        expect(seen().all).toBe(Math.ceil(count / most));
      }),
    );
  });
});
