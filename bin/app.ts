import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { addStacks } from "../lib/fleet.ts";
import { Refusal } from "../lib/refusal.ts";

try {
  const app = new App();
  const [cluster, wave] = ["cluster", "wave"].map((key): unknown => app.node.tryGetContext(key));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  addStacks(app, { cluster, wave });
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
