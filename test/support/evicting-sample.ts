import { readFileSync } from "node:fs";

type Sample = { readonly [Key in "cluster" | "drain"]: Readonly<Record<string, unknown>> } & {
  readonly nodeRoleArns: readonly string[];
  readonly launchTemplateIds: readonly string[];
};

const { drain: _, ...file } = JSON.parse(readFileSync("clusters/sample.json", "utf8")) as Sample;

/** The file of the sample cluster without its dry run: the file of a cluster that evicts. */
export const evictingSample = file;
