import type { ClusterConfig } from "../../lib/cluster-file/cluster-config-schema.ts";
import { sample, sampleWebhook } from "./synthesised.ts";

const { region } = sample.cluster;

/** What a cluster's file says that switches on all that needs rights. */
export const everythingOn: Partial<ClusterConfig> = {
  groups: ["workers"],
  groupTag: { key: "drained", value: "yes" },
  nodeRoleArns: ["arn:aws:iam::123456789012:role/nodes"],
  upgrades: "on",
  launchTemplateIds: ["lt-0123456789abcdef0"],
  launchTemplateVersions: "made",
  repairs: "on",
  drain: { ...sample.drain, deregister: "if-nobody-does" },
  function: { ...sample.function, tracing: "on" },
  webhook: { ...sampleWebhook, keyArn: `arn:aws:kms:${region}:123456789012:key/webhook` },
};
