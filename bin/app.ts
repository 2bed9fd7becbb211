import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { clusterFile } from "../lib/cluster-file/cluster-file.ts";
import { NodeLifecycleStack } from "../lib/node-lifecycle-stack.ts";
import { Refusal } from "../lib/refusal.ts";
import { stackName } from "../lib/stack-name.ts";

try {
  const app = new App();
  const config = clusterFile(app.node.tryGetContext("cluster"));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  new NodeLifecycleStack(app, stackName(config.cluster.name), config);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
