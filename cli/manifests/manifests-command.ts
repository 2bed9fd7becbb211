import { dirname, join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { stringify } from "yaml";
import {
  productName,
  productVersion,
  repairsGroup,
  upgradesGroup,
} from "../../lambda/base/contract.ts";
import { faultOf } from "../../lambda/base/fault.ts";
import { roleField } from "../../lambda/base/field.ts";
import { read } from "../../lambda/base/read.ts";
import { type RoleArn, tryRoleArn } from "../../lambda/base/role-arn.ts";
import { listOf } from "../../lambda/base/schema.ts";
import { nodeSettings } from "../../lambda/config/settings.ts";
import { ownTaintField } from "../../lambda/drain/own-taint-field.ts";
import type { AuthenticationMode } from "../../lambda/launch/node-mapping.ts";
import { awsAuthUse } from "../../lambda/rights/aws-auth-use.ts";
import type { ClusterObject } from "../../lambda/rights/cluster-object.ts";
import { type RightsChoice, rightsFor } from "../../lambda/rights/rights.ts";
import { readRights } from "../../lambda/rights/rights-schema.ts";
import { textOf } from "../../lib/cluster-file/layers.ts";
import { readClusterFile } from "../../lib/cluster-file/read-cluster-config.ts";
import { partitionOf } from "../../lib/partition-of.ts";
import { Refusal } from "../../lib/refusal.ts";
import { CommandFailure } from "../command-failure.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import { fileNamesIn } from "../fleet/cluster-files.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { accessManifests, byHand } from "./access-manifests.ts";

const example = `
Apply them again with every new version. kubectl apply removes nothing: with --removed the command prints
what the cluster's file does not need, for kubectl delete. Unless the cluster's file says "rights": "by hand" or the
authentication mode is CONFIG_MAP, the stack applies them itself.

Examples:
  npx eks-node-lifecycle manifests demo --role arn:aws:iam::123456789012:role/demo | kubectl apply -f -
  npx eks-node-lifecycle manifests demo --removed | kubectl delete --ignore-not-found -f -
  npx eks-node-lifecycle manifests demo --json

Exit codes:
  0  printed
  1  the cluster's file is missing or invalid; one line says why
  2  wrong usage`;

/** The command that prints the manifests to apply by hand. */
export const manifestsCommand = (io: Io, ended: (code: ExitCode) => void): Command =>
  new Command("manifests")
    .description("print the function's rights for kubectl, where the stack does not apply them")
    .argument("<cluster>", "the cluster of clusters/NAME.json")
    .option(
      "--role <arn>",
      "the node function's role, as the stack's output AwsAuthMapping has it",
      role,
    )
    .option(
      "--removed",
      "print the rights that the cluster's file does not need, for kubectl delete",
    )
    .option("--json", "write one JSON object with the manifests as items")
    .addHelpText("after", example)
    .action((name: string, options: ManifestsOptions) => {
      const { mapRoles, items } = manifestsOf(name, options, io);
      if (options.removed === undefined) io.stderr.writeLine(takesNothing(name));
      if (options.json) printJson(io.stdout, { kind: "manifests", mapRoles, items });
      else io.stdout.write(documents(mapRoles, items));
      ended(exitCodes.done);
    });

/** The objects to apply or to delete, and the entries that aws-auth needs first. */
function manifestsOf(name: string, { role: arn, removed }: ManifestsOptions, { cwd }: Io) {
  const names = fileNamesIn(cwd).join(", ");
  if (/[\\/]/.test(name))
    throw failure(
      `${name} is a path, and not the name of a cluster in clusters/`,
      names === "" ? initHelps : `name one of these: ${names}`,
    );
  const path = `clusters/${name}.json`;
  const { rights, authenticationMode } = choiceIn(path, cwd);
  const { wanted, unwanted } = readRights(accessManifests(), rightsFor(rights));
  // Rights go before the fences around them.
  if (removed === true) return { mapRoles: [], items: unwanted.toReversed().map(claimed) };
  const mapRoles = authenticationMode === "CONFIG_MAP" ? mappings(arn, rights) : [];
  return { mapRoles, items: wanted.map(claimed) };
}

/** The further steps: kubectl apply leaves objects that a setting has switched off. */
const takesNothing = (name: string): string =>
  `kubectl apply takes no right away; what the file no longer asks for goes with: npx eks-node-lifecycle manifests ${name} --removed | kubectl delete --ignore-not-found -f -`;

interface ManifestsOptions {
  readonly removed?: true;
  readonly role?: RoleArn;
  readonly json?: boolean;
}

/** A YAML document for each object, after the entries of aws-auth. */
function documents(mapRoles: readonly MapRolesEntry[], items: readonly object[]): string {
  const entries = mapRoles.length === 0 ? [] : [comment(mapRoles)];
  return [...entries, ...items.map((item) => stringify(item))].join("---\n");
}

function claimed({ name, namespace, body }: ClusterObject): object {
  const annotations = { [byHand]: productVersion };
  const metadata = { name, ...(namespace === "" ? {} : { namespace }), annotations };
  return { ...body, metadata };
}

function role(text: string): RoleArn {
  const arn = tryRoleArn(text);
  if (arn !== undefined) return arn;
  throw new InvalidArgumentError("Give a role's ARN, as arn:aws:iam::123456789012:role/NAME.");
}

function choiceIn(path: string, cwd: string): FileChoice {
  const at = join(cwd, path);
  const text = textIn(at, path);
  try {
    return readRightsChoice(text, path, dirname(at));
  } catch (cause) {
    if (cause instanceof Refusal) throw failure(cause.onOneLine, schemaHelps, cause);
    throw failure(faultOf(cause).said, schemaHelps, cause);
  }
}

function textIn(file: string, path: string): string {
  try {
    return textOf(file, path);
  } catch (cause) {
    throw failure(`cannot read ${path}`, initHelps, cause);
  }
}

const schemaHelps = "clusters/cluster.schema.json says what may be there";
const initHelps = "run it in the project's folder, where eks-node-lifecycle init writes the file";

const failure = (message: string, remedy: string, cause?: unknown): CommandFailure =>
  new CommandFailure(message, remedy, { cause });

/** The entries of all functions; each has a role and a group of its own. */
const mappings = (arn: RoleArn | undefined, { upgrades, repairs }: RightsChoice) => [
  mapping(productName, arn),
  ...(upgrades === "on" ? [mapping(upgradesGroup)] : []),
  ...(repairs === "on" ? [mapping(repairsGroup)] : []),
];

const mapping = (group: string, rolearn = "ARN, as the stack's output AwsAuthMapping has it") => ({
  rolearn,
  username: group,
  groups: [group],
});

type MapRolesEntry = ReturnType<typeof mapping>;

const comment = (entries: readonly MapRolesEntry[]): string =>
  `To be added to mapRoles of the ConfigMap kube-system/aws-auth, by hand:\n${stringify(entries)}`.replace(
    /^(?=.)/gm,
    "# ",
  );

const { force, makeRoom, conditions, taint } = nodeSettings.drain;
const { removeNode, outOfService } = nodeSettings.events;
const { kubernetesEvents } = nodeSettings.reports;
const roles = listOf(roleField, "a list of the ARNs of roles");

/** The choices of a cluster's file about the function's rights and access. */
interface FileChoice {
  readonly rights: RightsChoice;
  readonly authenticationMode: AuthenticationMode;
}

/** Reads from a cluster's file which rights the function gets. */
function readRightsChoice(json: string, path: string, folder: string): FileChoice {
  const { config: file } = readClusterFile(json, path, folder);
  const { cluster, launch, hooks, drain, events, reports } = file;
  const { authenticationMode, account, region } = cluster;
  const nodeRoles = read(roles, file.nodeRoleArns ?? [], `${path}.nodeRoleArns`);
  const { access } = launch;
  const rights = {
    nodeRoles,
    apiPriority: file.apiPriority,
    upgrades: file.upgrades,
    repairs: file.repairs,
    secondOpinion: file.repair.secondOpinion ?? "off",
    account:
      account === undefined
        ? (nodeRoles.map(accountOfRole).at(0) ?? "")
        : `arn:${partitionOf(region)}:iam::${account}`,
    awsAuth: awsAuthUse({ authenticationMode, access, launching: hooks.launching }),
    ...drainRights(drain),
    ownTaint: read(ownTaintField, drain.taint ?? taint.default, `${path}.drain.taint`),
    removeNode: events.removeNode ?? removeNode.default,
    outOfService: events.outOfService ?? outOfService.default,
    events: reports.kubernetesEvents ?? kubernetesEvents.default,
  };
  return { rights, authenticationMode };
}

const drainRights = (drain: Partial<Pick<RightsChoice, "conditions" | "force" | "makeRoom">>) => ({
  force: drain.force ?? force.default,
  makeRoom: drain.makeRoom ?? makeRoom.default,
  conditions: drain.conditions ?? conditions.default,
});

/** The prefix of the ARNs of all roles in a role's account. */
const accountOfRole = (role: RoleArn): string => role.slice(0, role.indexOf(":role/"));
