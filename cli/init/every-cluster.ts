import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { EKSClient, paginateListClusters } from "@aws-sdk/client-eks";
import { awsFault } from "../../lambda/aws/aws-fault.ts";
import { allOf, awsAt, regionOf } from "../connect/aws-access.ts";
import type { ConnectionOptions } from "../connect/connection-options.ts";
import { type ExitCode, exitCodes, worstOf } from "../exit-code.ts";
import { failureOf } from "../failure-of.ts";
import type { Io } from "../io.ts";
import { failureBy, type Remedies } from "../remedies.ts";
import { discovered } from "./discovered.ts";
import { writeFirstFile } from "./first-file.ts";
import { pathOf, tryGivenFile, writeFile } from "./given-file.ts";

type Signing = Pick<ConnectionOptions, "profile" | "region">;

/** Writes a file for each cluster that has none. A cluster that cannot be read does not stop the others. */
export async function everyCluster(options: Signing, io: Io): Promise<ExitCode> {
  const client = new EKSClient(awsAt(options));
  const region = await regionOf(client);
  const names = await allOf(paginateListClusters({ client }, {}), ({ clusters }) => clusters).catch(
    (cause: unknown) => {
      throw failureBy(awsFault("listing the clusters", cause), toList);
    },
  );
  if (names.length === 0) io.stdout.writeLine(`there is no cluster in ${region}`);
  else beginFleet(io);
  const codes: ExitCode[] = [];
  for (const name of names)
    codes.push(
      await oneOf(name, { ...options, region }, io).catch((cause) => failed(name, cause, io)),
    );
  return worstOf(codes);
}

async function oneOf(name: string, options: Signing & { readonly region: string }, io: Io) {
  const path = pathOf(name, options.region, io);
  if (tryGivenFile(path, io) === undefined) {
    const { advice, ...found } = await discovered(name, awsAt(options));
    writeFirstFile(path, { ...found, remarks: [...found.remarks, ...advice] }, io);
    io.stdout.writeLine(
      `  next: npx cdk deploy -c cluster=${basename(path, ".json")}, which evicts nothing yet`,
    );
  } else io.stdout.writeLine(`${path} is there; init ${name} --update brings it up to date`);
  return exitCodes.done;
}

/**
 * Makes clusters share a dashboard and a key in each Region, if the folder has no files yet. Files that are there stay as
 * they are.
 */
function beginFleet(io: Io): void {
  const folder = join(io.cwd, "clusters");
  const files = existsSync(folder) ? readdirSync(folder) : [];
  if (files.some((file) => !given.includes(file))) return;
  writeFile(defaults, { dashboard: "region", encryptionKey: "region" }, io);
  io.stdout.writeLine(
    `${defaults} written: the clusters of a Region share a dashboard and a key`,
    "  one that was deployed before keeps its own by a file that says so",
    "  next: npx cdk deploy --all, which evicts nothing yet",
  );
}

const defaults = "clusters/defaults.json";
const given: readonly string[] = ["cluster.schema.json", "sample.json"];

function failed(name: string, cause: unknown, { stderr }: Io): ExitCode {
  const failure = failureOf(cause, []);
  if (failure !== "none") stderr.writeLine(`${name}: ${failure.message}; ${failure.remedy}`);
  return exitCodes.fault;
}

const toList: Remedies = { "aws.denied": "allow eks:ListClusters, or name a cluster" };
