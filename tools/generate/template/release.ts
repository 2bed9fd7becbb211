import { createHash } from "node:crypto";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { App } from "aws-cdk-lib";
import { RegionKey } from "../../../lib/region-key.ts";
import { RegionDashboard } from "../../../lib/watching/region-dashboard.ts";
import { projectRoot } from "../../bundle/project-root.ts";
import { anyCluster } from "./any-cluster.ts";
import { archivesIn } from "./archive.ts";

/** The name of the template among the files of a release. */
export const templateName = "eks-node-lifecycle.template.json";

const shared = {
  "eks-node-lifecycle-dashboard.template.json": RegionDashboard,
  "eks-node-lifecycle-key.template.json": RegionKey,
};

/**
 * Writes what a bucket has to have for the template: the template, an archive of each function, what is in them, what the
 * clusters of a Region share, and the checksums of all. The same source makes the same files.
 */
export function writeRelease(folder: string): readonly string[] {
  const made = mkdtempSync(join(tmpdir(), "any-cluster-"));
  try {
    const files = new Map([
      [templateName, asText(anyCluster(made))],
      ...archivesIn(made),
      ...billsOfMaterials(),
      ...sharedTemplates(made),
    ]);
    const sums = [...files].map(([name, content]) => `${sha256(content)}  ${name}\n`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    files.set("SHA256SUMS", Buffer.from(sums.join("")));
    for (const [name, content] of files) writeFileSync(join(folder, name), content);
    return [...files.keys()];
  } finally {
    rmSync(made, { recursive: true });
  }
}

const asText = (template: unknown): Buffer => Buffer.from(`${JSON.stringify(template)}\n`);

/** A dashboard and a key for whichever Region they are deployed to. */
const sharedTemplates = (made: string): readonly (readonly [string, Buffer])[] =>
  Object.entries(shared).map(([name, Shared]) => {
    const context = { assetsBucket: "no-assets" };
    const app = new App({ context, outdir: join(made, name), treeMetadata: false });
    const { artifactId } = new Shared(app, "Shared");
    return [name, asText(app.synth().getStackArtifact(artifactId).template)];
  });

const sorted = (names: readonly string[]): readonly string[] =>
  names.toSorted((one, other) => (one < other ? -1 : 1));

const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

const billsOfMaterials = (): readonly (readonly [string, Buffer])[] =>
  sorted(globSync("dist/*.cdx.json", { cwd: projectRoot })).map((path) => [
    basename(path),
    readFileSync(join(projectRoot, path)),
  ]);
