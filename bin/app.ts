import { Annotations, App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { clusterFiles } from "../lib/cluster-file/cluster-file.ts";
import { stackIds } from "../lib/cluster-file/stack-id.ts";
import { NodeLifecycleStack } from "../lib/node-lifecycle-stack.ts";
import { Refusal } from "../lib/refusal.ts";

try {
  const app = new App();
  const [cluster, wave] = ["cluster", "wave"].map((key): unknown => app.node.tryGetContext(key));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  for (const [id, { config, inherited }] of stackIds(clusterFiles({ cluster, wave }))) {
    const stack = new NodeLifecycleStack(app, id, config);
    for (const { path, value, file } of inherited)
      Annotations.of(stack).addInfo(`${path.join(".")} is ${JSON.stringify(value)} by ${file}`);
  }
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
