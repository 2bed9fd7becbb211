import { existsSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import {
  AutoScalingClient,
  type AutoScalingGroup,
  paginateDescribeAutoScalingGroups,
} from "@aws-sdk/client-auto-scaling";
import { DescribeClusterCommand, EKSClient } from "@aws-sdk/client-eks";
import { Command } from "commander";
import { awsFault } from "../lambda/adapters/aws-fault.ts";
import { clusterFileOf } from "./cluster-file-of.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";
import type { Io } from "./io.ts";

/** The command that writes a cluster's file from the account. */
export const discoverCommand = (io: Io, ended: (code: ExitCode) => void): Command =>
  new Command("discover")
    .description("write clusters/NAME.json from what EKS and Auto Scaling say of a cluster")
    .argument("<cluster>", "the name of the EKS cluster")
    .option("--force", "replace the file if it is there")
    .action(async (name: string, { force }: { force?: boolean }, command: Command) => {
      const path = join(io.cwd, "clusters", `${name}.json`);
      const told = relative(io.cwd, path);
      if (existsSync(path) && force !== true)
        command.error(`${told} is there already; --force replaces it`, {
          exitCode: exitCodes.usage,
        });
      const file = await discovered(name);
      writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`);
      const groups = file.groups.length === 0 ? "no group: name one in it" : file.groups.join(", ");
      io.stdout.write(`${told} written, with ${groups}\n`);
      ended(exitCodes.done);
    });

async function discovered(name: string) {
  const { cluster, groups } = await asked(name).catch((cause: unknown) => {
    throw awsFault(`discovering cluster ${name}`, cause);
  });
  return clusterFileOf(cluster, groups);
}

/** Region and credentials are found where every tool of AWS finds them. */
async function asked(name: string) {
  const { cluster = {} } = await new EKSClient().send(new DescribeClusterCommand({ name }));
  const wanted = { Filters: [{ Name: "tag-key", Values: [`kubernetes.io/cluster/${name}`] }] };
  const groups: AutoScalingGroup[] = [];
  const client = new AutoScalingClient();
  for await (const { AutoScalingGroups: found = [] } of paginateDescribeAutoScalingGroups(
    { client },
    wanted,
  ))
    groups.push(...found);
  return { cluster, groups };
}
