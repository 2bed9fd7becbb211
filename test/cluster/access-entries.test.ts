import { EKSClient } from "@aws-sdk/client-eks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AccessEntries } from "../../lambda/adapters/eks/access-entries.ts";
import { systemClock } from "../../lambda/adapters/local/system-clock.ts";
import type { Platform } from "../../lambda/domain/node/ec2-instance.ts";
import { withoutPath } from "../../sandbox/aws/canonical-arn.ts";
import { account } from "../domain/aws-auth/corpus.ts";
import { JudgedCluster } from "./judged-cluster.ts";

const clusterName = "demo";
const patience = { timeout: 10_000, interval: 50 };

/** Copies EKS's access entries to the file that the authenticator reads. */
function keepEntries({ aws, controlPlane }: JudgedCluster): void {
  const { entries } = aws.eks.createCluster({
    name: clusterName,
    version: "1.36",
    endpoint: controlPlane.url,
    certificateAuthority: controlPlane.certificateAuthority,
    authenticationMode: "API_AND_CONFIG_MAP",
  });
  entries.onChange(() => {
    const mappings = entries.all().map(({ principalArn, username, groups }) => ({
      rolearn: withoutPath(principalArn),
      username,
      groups,
    }));
    void controlPlane.setAccessEntries(mappings);
  });
}

describe("a role with an access entry, before the authenticator", () => {
  let cluster: JudgedCluster;

  beforeAll(async () => {
    cluster = await JudgedCluster.start(account, ["one", "two"], "API_AND_CONFIG_MAP");
    await cluster.write("");
    keepEntries(cluster);
  });
  afterAll(async () => cluster.stop());

  it.each([
    ["one", "linux", ["system:nodes"]],
    ["two", "windows", ["eks:kube-proxy-windows", "system:nodes"]],
  ] as const)(
    "is unknown without the entry, and a node with it: %s, %s",
    async (name, platform: Platform, groups) => {
      const { arn } = cluster.aws.iam.createRole({ name, path: "/team/" });
      const credentials = cluster.aws.keys.addUser(`function-${name}`);
      const region = cluster.aws.account.region;
      const eks = new EKSClient({ endpoint: cluster.awsUrl, region, credentials });
      const verdict = async () => (await cluster.verdicts()).get(name);
      expect(await verdict()).toBe("refused");

      await new AccessEntries({ eks, clusterName, clock: systemClock }).register({ arn, platform });

      const username = `system:node:${cluster.nodeName(name)}`;
      await expect.poll(verdict, patience).toEqual({ username, groups });
    },
  );
});
