import { createHash } from "node:crypto";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { App } from "aws-cdk-lib";
import { projectRoot } from "../../bundle/project-root.ts";
import { RegionDashboard } from "../../lib/watching/region-dashboard.ts";
import { anyCluster } from "./any-cluster.ts";
import { zip } from "./zip.ts";

/** The name of the template among the files of a release. */
export const templateName = "eks-node-lifecycle.template.json";

const dashboardName = "eks-node-lifecycle-dashboard.template.json";

/**
 * Writes what a bucket has to have for the template: the template, an archive of each function, what is in them, a dashboard
 * for a Region, and the checksums of all. The same source makes the same files.
 */
export function writeRelease(folder: string): readonly string[] {
  const made = mkdtempSync(join(tmpdir(), "any-cluster-"));
  try {
    const files = new Map([
      [templateName, asText(anyCluster(made))],
      ...archives(made),
      ...billsOfMaterials(),
      [dashboardName, asText(anyDashboard(made))],
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

/** The dashboard of whichever Region it is deployed to. */
function anyDashboard(made: string): unknown {
  const context = { assetsBucket: "no-assets" };
  const app = new App({ context, outdir: join(made, "dashboard"), treeMetadata: false });
  const { artifactId } = new RegionDashboard(app, "Dashboard");
  return app.synth().getStackArtifact(artifactId).template;
}

const sorted = (names: readonly string[]): readonly string[] =>
  names.toSorted((one, other) => (one < other ? -1 : 1));

const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

/** The code of each function, under the name by which the template asks for it. */
const archives = (made: string): readonly (readonly [string, Buffer])[] =>
  sorted(globSync("asset.*/", { cwd: made })).map((asset) => {
    const names = globSync("*", { cwd: join(made, asset) });
    const files = names.map((name) => ({ name, content: readFileSync(join(made, asset, name)) }));
    return [`${basename(asset).slice("asset.".length)}.zip`, zip(files)];
  });

const billsOfMaterials = (): readonly (readonly [string, Buffer])[] =>
  sorted(globSync("dist/*.cdx.json", { cwd: projectRoot })).map((path) => [
    basename(path),
    readFileSync(join(projectRoot, path)),
  ]);
