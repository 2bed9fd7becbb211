import { createHash } from "node:crypto";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { App } from "aws-cdk-lib";
import { projectRoot } from "../../bundle/project-root.ts";
import { RegionKey } from "../../lib/region-key.ts";
import { RegionDashboard } from "../../lib/watching/region-dashboard.ts";
import { anyCluster } from "./any-cluster.ts";

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
      ...archives(made),
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

/** A file of an archive. */
interface Packed {
  readonly name: string;
  readonly content: Buffer;
}

// 1 January 1980, the first day that an archive knows: the same files make the same archive, whenever it is made.
const day = 0x21;
const usualRights = 0o100644 * 0x10000;

/** Makes an archive of files, in the order of their names. @see https://pkware.cachefly.net/webdocs/APPNOTE/APPNOTE-6.3.9.TXT */
export function zip(files: readonly Packed[]): Buffer {
  const sorted = files.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const [bodies, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const { name, content } of sorted) {
    const packed = deflateRawSync(content, { level: 9 });
    const title = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0); // the version that can unpack it
    common.writeUInt16LE(0x800, 2); // names are UTF-8
    common.writeUInt16LE(8, 4); // deflated
    common.writeUInt16LE(day, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(title.length, 22);
    bodies.push(signed(0x04034b50), common, title, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(usualRights, 6);
    place.writeUInt32LE(offset, 10);
    directory.push(signed(0x02014b50), madeOnUnix, common, place, title);
    offset += 30 + title.length + packed.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(sorted.length, 4);
  end.writeUInt16LE(sorted.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, ...directory, signed(0x06054b50), end]);
}

const madeOnUnix = Buffer.from([20, 3]);

function signed(signature: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(signature);
  return bytes;
}
