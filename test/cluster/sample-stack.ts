import { App } from "aws-cdk-lib";
import type { ClusterConfig } from "../../lib/cluster-file/cluster-config-schema.ts";
import { readClusterConfig } from "../../lib/cluster-file/read-cluster-config.ts";
import { NodeLifecycleStack } from "../../lib/node-lifecycle-stack.ts";
import { deployable } from "../lib/deployable.ts";
import { evictingSample } from "../support/evicting-sample.ts";

const sample = readClusterConfig(JSON.stringify(evictingSample), "sample.json");

/** The sample cluster's stack for a group, as `npm run synth` generates it, but that it evicts. */
export function sampleStack(group: string, drain: ClusterConfig["drain"] = {}) {
  const app = new App();
  const config = { ...sample, groups: [group], drain: { ...sample.drain, ...drain } };
  const stack = new NodeLifecycleStack(app, "Sample", config);
  const { template, bundle } = deployable(app, stack);
  const rights = Object.values(template.Resources).find(
    ({ Type }) => Type === "Custom::EksNodeLifecycleAccess",
  );
  const idOf = (name: RegExp) =>
    Object.keys(template.Resources).find(
      (id) => name.test(id) && template.Resources[id]?.Type === "AWS::Lambda::Function",
    ) ?? "";
  return {
    template,
    bundle,
    /** The properties that CloudFormation sends to the custom resource. */
    rights: { ...rights?.Properties },
    deployer: idOf(/AccessDeployer/),
  };
}
