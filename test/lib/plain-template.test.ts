import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { CfnInclude } from "aws-cdk-lib/cloudformation-include";
import { expect, it, onTestFinished } from "vitest";
import { NodeLifecycleStack } from "../../lib/node-lifecycle-stack.ts";
import { resourcesOf, sample } from "./synthesised.ts";

/** The stack of the sample, with its code in a bucket that CDK knows nothing of. */
function plain(assetsBucket: unknown) {
  const app = new App({ context: { assetsBucket } });
  const stack = new NodeLifecycleStack(app, "Sample", sample);
  return { assembly: app.synth(), template: Template.fromStack(stack) };
}

const codeIn = (template: Template) =>
  Object.values(resourcesOf(template))
    .filter(({ Type }) => Type === "AWS::Lambda::Function")
    .map(({ Properties }) => Properties.Code as { S3Bucket: unknown; S3Key: string });

/** The resources of a template, whose order means nothing, nor does the order of what a resource depends on. */
const withoutOrder = (template: Template) =>
  Object.fromEntries(
    Object.entries(resourcesOf(template)).map(([id, { DependsOn = [], ...resource }]) => [
      id,
      { ...resource, DependsOn: DependsOn.toSorted() },
    ]),
  );

it("a plain template has its code in the bucket, under the hash of each folder in the output", () => {
  const { assembly, template } = plain("my-bucket");
  const code = codeIn(template);
  expect(code).toHaveLength(3);
  for (const { S3Bucket, S3Key } of code) {
    expect(S3Bucket).toBe("my-bucket");
    const [, hash = ""] = /^([0-9a-f]{64})\.zip$/.exec(S3Key) ?? [];
    expect(existsSync(join(assembly.directory, `asset.${hash}`))).toBe(true);
  }
});

it("a plain template needs no bootstrap of CDK", () => {
  const { template } = plain("my-bucket");
  expect(template.toJSON()).not.toHaveProperty("Parameters");
  expect(template.toJSON()).not.toHaveProperty("Rules");
  expect(JSON.stringify(template.toJSON())).not.toMatch(/cdk-hnb659fds|cdk-bootstrap/);
});

it("a plain template can be included in an app of CDK, in whatever language", async () => {
  const folder = await mkdtemp(join(tmpdir(), "plain-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { template } = plain("my-bucket");
  const templateFile = join(folder, "sample.template.json");
  await writeFile(templateFile, JSON.stringify(template.toJSON()));
  const stack = new Stack(new App(), "Other");
  new CfnInclude(stack, "NodeLifecycle", { templateFile });
  const included = Template.fromStack(stack);
  expect(withoutOrder(included)).toEqual(withoutOrder(template));
  const { Outputs: outputs } = included.toJSON();
  const { Outputs: own } = template.toJSON();
  expect(outputs).toEqual(own);
});

it.each(["", true, "My_Bucket", "s3://my-bucket"])(
  "%j is no bucket for a plain template",
  (name) => {
    expect(() => plain(name)).toThrow("is not the name of a bucket; -c assetsBucket=my-bucket");
  },
);
