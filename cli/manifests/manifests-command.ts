import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { stringify } from "yaml";
import { productName } from "../../lambda/contract.ts";
import { type RoleArn, tryRoleArn } from "../../lambda/domain/launch/role-arn.ts";
import type { Rights } from "../../lambda/domain/rights/rights.ts";
import { readRights } from "../../lambda/events/rights.ts";
import { faultOf } from "../../lambda/fault.ts";
import { CommandFailure } from "../command-failure.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { accessManifests } from "./access-manifests.ts";
import { readRightsChoice } from "./rights-choice-schema.ts";

const example = `
The stack applies them itself where the authentication mode is API or API_AND_CONFIG_MAP.

Examples:
  npm run manifests --silent -- demo --role arn:aws:iam::123456789012:role/demo | kubectl apply -f -
  npm run manifests --silent -- demo --json
`;

/** The command that prints the manifests that the owner of a cluster has to apply by hand. */
export const manifestsCommand = (io: Io, ended: (code: ExitCode) => void): Command =>
  new Command("manifests")
    .description("print the function's rights for kubectl, for a cluster that has only aws-auth")
    .argument("<cluster>", "the cluster of clusters/NAME.json")
    .option(
      "--role <arn>",
      "the function's role, as the stack's output AwsAuthMapping has it",
      role,
    )
    .option("--json", "write one JSON object with the manifests as items")
    .addHelpText("after", example)
    .action((name: string, options: ManifestsOptions) => {
      const { wanted } = readRights(accessManifests(), choiceOf(name, io.cwd));
      const items = wanted.map(({ body }) => body);
      const entry = mapping(options.role);
      if (options.json) printJson(io.stdout, { kind: "manifests", mapRoles: [entry], items });
      else io.stdout.write([comment(entry), ...items.map((body) => stringify(body))].join("---\n"));
      ended(exitCodes.done);
    });

interface ManifestsOptions {
  readonly role?: RoleArn;
  readonly json?: boolean;
}

function role(text: string): RoleArn {
  const arn = tryRoleArn(text);
  if (arn !== undefined) return arn;
  throw new InvalidArgumentError("Give a role's ARN, as arn:aws:iam::123456789012:role/NAME.");
}

function choiceOf(name: string, cwd: string): Rights {
  const path = `clusters/${name}.json`;
  const text = textOf(join(cwd, path), path);
  try {
    return readRightsChoice(text, path);
  } catch (cause) {
    const { code, message } = faultOf(cause);
    throw failure(message.slice(`${code}: `.length), schemaHelps, cause);
  }
}

function textOf(file: string, path: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw failure(`cannot read ${path}`, discoverHelps, cause);
  }
}

const schemaHelps = "clusters/cluster.schema.json says what may be there";
const discoverHelps =
  "run it in the project's folder, where eks-node-lifecycle discover writes the file";

const failure = (message: string, remedy: string, cause: unknown): CommandFailure =>
  new CommandFailure(message, remedy, { cause });

const mapping = (rolearn = "ARN, as the stack's output AwsAuthMapping has it") => ({
  rolearn,
  username: productName,
  groups: [productName],
});

const comment = (entry: ReturnType<typeof mapping>): string =>
  `To be added to mapRoles of the ConfigMap kube-system/aws-auth, by hand:\n${stringify([entry])}`.replace(
    /^(?=.)/gm,
    "# ",
  );
