import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { clusterFile } from "../lib/cluster-file.ts";
import { NodeLifecycleStack } from "../lib/node-lifecycle-stack.ts";
import { Refusal } from "../lib/refusal.ts";

try {
  const app = new App();
  const config = clusterFile(app.node.tryGetContext("cluster"));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  // Clusters may have underscores in their names, stacks may not.
  const name = config.cluster.name.replaceAll("_", "-");
  new NodeLifecycleStack(app, `EksNodeLifecycle-${name}`, config);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
