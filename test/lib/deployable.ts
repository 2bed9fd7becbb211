import { join } from "node:path";
import { type App, CfnElement, type Resource, type Stack } from "aws-cdk-lib";
import type { Synthesised } from "../../sandbox/stack/deploy-template.ts";
import { templateSchema } from "../../sandbox/stack/template-schema.ts";

/** A stack with its bundles as it is synthesised, for the sandbox to deploy. */
export function deployable(app: App, stack: Stack): Synthesised {
  const assembly = app.synth();
  const { template } = assembly.getStackArtifact(stack.artifactId);
  return {
    template: templateSchema.parse(template),
    bundle: (hash) => join(assembly.directory, `asset.${hash}`),
  };
}

/** What a resource is called in the template, and so in the sandbox. */
export function logicalId({ stack, node }: Resource): string {
  const { defaultChild } = node;
  if (CfnElement.isCfnElement(defaultChild)) return stack.getLogicalId(defaultChild);
  throw new Error(`${node.path} is no resource of CloudFormation`);
}
