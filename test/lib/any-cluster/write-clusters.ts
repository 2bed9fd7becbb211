import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { readClusterConfig } from "../../../lib/cluster-file/read-cluster-config.ts";
import { NodeLifecycleStack } from "../../../lib/node-lifecycle-stack.ts";
import { RegionKey } from "../../../lib/region-key.ts";
import { anyCluster } from "../../../tools/generate/template/any-cluster.ts";
import { fiveClusters } from "./five-clusters.ts";

// Writes the template, and of five clusters the parameters and what the construct makes, for .ci/moto-stacks.py.
const [folder = ""] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const write = (name: string, content: unknown) =>
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(content));
const alone = new App({ context: { assetsBucket: "no-assets" } });
const { artifactId } = new RegionKey(alone, "Key");
write("key", alone.synth().getStackArtifact(artifactId).template);
write("template", anyCluster(join(folder, "made")));
for (const [index, { file, region, values }] of fiveClusters.entries()) {
  const app = new App({ context: { assetsBucket: `code-${region}` } });
  const config = readClusterConfig(JSON.stringify(file), "the file");
  const stack = new NodeLifecycleStack(app, "AnyCluster", config);
  const { template } = app.synth().getStackArtifact(stack.artifactId);
  write(`cluster-${index}`, { region, values, template });
}
