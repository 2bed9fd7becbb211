import { randomBytes } from "node:crypto";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { groupName } from "../../lambda/base/ids.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import type { Bookmark } from "../../lambda/upgrade/bookmark.ts";
import { readBookmark } from "../../lambda/upgrade/bookmark-tags.ts";
import { issueText } from "../../lambda/upgrade/issues.ts";
import { refusals } from "../../lambda/upgrade/setup.ts";
import { noWayBack } from "../../lambda/upgrade/take-up.ts";
import {
  type UpgradeCommand,
  type UpgradeTarget,
  upgradeOf,
} from "../../lambda/upgrade/upgrade-message.ts";
import { tryNearest } from "../../lib/nearest.ts";
import { CommandFailure } from "../command-failure.ts";
import { addConnectionOptions } from "../connect/connection-options.ts";
import { type ExitCode, exitCodes, worstOf } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { planRightsLines } from "../plan/plan-rights.ts";
import { shellWord } from "../shell-word.ts";
import { Screen } from "../terminal/screen.ts";
import { addUpgradeFlags, type UpgradeRequest, wantedBy } from "./upgrade-flags.ts";
import { followUpgrade, tellUpgrade } from "./upgrade-follow.ts";
import { dryRun } from "./upgrade-plan.ts";
import { UpgradeSite, type UpgradeSiteOptions, upgradeActions } from "./upgrade-site.ts";

const help = `
GROUP alone starts an upgrade; pause, resume, abort, rollback or status before it acts on the one under way. The command
sends a message to the queue of the upgrade function, which does the work, and reads the group's tags and the nodes.
docs/upgrade.md describes each phase. Without --ami, --launch-template-version or --ssm the group keeps its version of the
launch template; nodes are replaced that have another version, the annotation eks-node-lifecycle/replace, or an age above
--max-age.

The construct's grantUpgrade allows what the command needs in AWS, with --dry-run and --follow:
${upgradeActions.map((action) => `  ${action}`).join("\n")}

In the cluster it needs, as \`plan\` does:
${planRightsLines}

Examples:
  npx eks-node-lifecycle upgrade workers --cluster demo --launch-template-version 7 --dry-run
  npx eks-node-lifecycle upgrade workers --cluster demo --launch-template-version 7 --max-unavailable 33% --canary --follow
  npx eks-node-lifecycle upgrade --all workers system --cluster demo --window Sat-Sun/22:00-06:00
  npx eks-node-lifecycle upgrade status workers --cluster demo --follow
  npx eks-node-lifecycle upgrade abort workers --cluster demo

Exit codes:
  0  sent, reported, or with --follow done
  1  something broke, or the group cannot be upgraded; one line says why
  2  wrong usage
  3  with --follow: not done, but failed, aborted, with nodes set aside, or no longer followed; with --dry-run:
     a pod would never leave, or find no node`;

interface UpgradeCommandOptions extends UpgradeSiteOptions {
  readonly all?: true;
  readonly dryRun?: true;
  readonly follow?: true;
  readonly id?: string;
}

function idText(text: string): string {
  if (/^[\da-f]{8}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected the eight digits that the line "sent" shows.');
}

/** The command that starts and controls upgrades of groups, and reports their state. */
export function upgradeCommand(io: Io, ended: (code: ExitCode) => void): Command {
  const command = new Command("upgrade")
    .description(
      "replace the nodes of a group with nodes of another version, as managed node groups do",
    )
    .addArgument(wordsArgument())
    .usage(`[options] [${upgradeVerbs.join("|")}] <group...>`)
    // The usage names the verbs already.
    .configureHelp({ argumentDescription: ({ description }) => description })
    .requiredOption("--cluster <name>", "the name of the EKS cluster");
  addUpgradeFlags(command)
    .option(
      "--all",
      "upgrade several groups one after the other; stop at the first that is not done",
    )
    .addOption(
      new Option(
        "--dry-run",
        "show the nodes batch by batch and what would block them; send nothing",
      ).conflicts("follow"),
    )
    .option("--id <id>", "with abort: the id of an upgrade that was sent and has not begun", idText)
    .option("--follow", "report its progress until it ends, or until Ctrl-C");
  addConnectionOptions(command).addHelpText("after", help);
  return command.action(async (words: readonly string[], given: UpgradeCommandOptions) => {
    const { verb, groups } = asked(words, given.all, command);
    const wanted = wantedBy(command);
    const site = await UpgradeSite.open(given);
    try {
      const work = { site, io, given, wanted };
      ended(verb === "start" ? await startAll(groups, work) : await each(groups, verb, work));
    } finally {
      await site.close();
    }
  });
}

interface UpgradeRun {
  readonly site: UpgradeSite;
  readonly io: Io;
  readonly given: UpgradeCommandOptions;
  readonly wanted: UpgradeRequest;
}

async function startAll(groups: readonly string[], work: UpgradeRun): Promise<ExitCode> {
  const { given } = work;
  // Checks the later groups now, and not after hours.
  for (const group of groups.slice(1)) await upgradable(group, work);
  for (const [at, group] of groups.entries()) {
    const code = await started(group, work, given.follow ?? groups.length > 1);
    if (code === exitCodes.done) continue;
    const rest = groups.slice(at + 1);
    if (rest.length > 0 && given.dryRun === undefined) tellRest(group, rest, work.io);
    return code;
  }
  return exitCodes.done;
}

const tellRest = (group: string, rest: readonly string[], io: Io): void =>
  new Screen(io).complain(`${group} was not done, so ${rest.join(", ")} was not begun`);

async function started(name: string, work: UpgradeRun, follows: boolean): Promise<ExitCode> {
  const { given, wanted } = work;
  const group = await upgradable(name, work);
  if (given.dryRun) return dryRun(group, work);
  const id = newId();
  await send({ kind: "start", id, group: groupName(name), ...wanted }, work);
  return follows ? followUpgrade(name, id, telling(work)) : exitCodes.done;
}

async function upgradable(name: string, { site, wanted }: UpgradeRun): Promise<ScalingGroup> {
  const group = await site.group(name);
  await assertUpgradable(group, wanted.to, site);
  return group;
}

const newId = (): string => randomBytes(4).toString("hex");

async function each(
  groups: readonly string[],
  verb: Exclude<Verb, "start">,
  work: UpgradeRun,
): Promise<ExitCode> {
  const codes: ExitCode[] = [];
  for (const group of groups) codes.push(await done(group, verb, work));
  return worstOf(codes);
}

async function done(
  name: string,
  verb: Exclude<Verb, "start">,
  work: UpgradeRun,
): Promise<ExitCode> {
  const { site, given } = work;
  if (verb === "status" && given.follow === undefined) return tellUpgrade(name, telling(work));
  const group = await site.group(name);
  const current = () => idOf(group, verb, site.cluster);
  const id = verb === "abort" ? (given.id ?? current()) : current();
  if (verb !== "status")
    await send({ kind: verb, id: newId(), group: groupName(name), of: id }, work);
  if (given.follow === undefined) return exitCodes.done;
  return verb === "rollback"
    ? followUpgrade(name, id, telling(work), ["rolled-back"])
    : followUpgrade(name, id, telling(work));
}

const telling = ({ io, site, given }: UpgradeRun) => ({ io, site, json: given.json === true });

/** The id of the upgrade that is under way. */
function idOf({ name, tags }: ScalingGroup, verb: Verb, cluster: string): string {
  const reading = readBookmark(tags);
  if (reading.kind === "waiting") {
    if (verb === "abort" || verb === "status") return reading.id;
    throw new CommandFailure(
      `upgrade ${reading.id} of ${name} has not begun yet, and has nothing to ${verb}`,
      `\`eks-node-lifecycle upgrade abort ${shellWord(name)} --cluster ${cluster}\` calls it off`,
    );
  }
  if (reading.kind === "bookmark") {
    if (verb === "rollback") assertWayBack(reading.bookmark);
    return reading.bookmark.id;
  }
  if (reading.kind === "none")
    throw new CommandFailure(
      `no upgrade of ${name} is under way`,
      `\`eks-node-lifecycle upgrade ${shellWord(name)} --cluster ${cluster}\` starts one`,
    );
  throw new CommandFailure(
    `the tag ${reading.key} of group ${name} cannot be read: ${JSON.stringify(reading.text)}`,
    "correct it, or remove all tags eks-node-lifecycle/upgrade… to forget the upgrade",
  );
}

function assertWayBack(bookmark: Bookmark): void {
  const why = noWayBack(bookmark);
  if (why !== "") throw new CommandFailure(why, nothingSent);
}

async function send(command: UpgradeCommand, { site, io, given }: UpgradeRun): Promise<void> {
  const messageId = await site.send(command);
  const { kind: wanted, group } = command;
  const id = upgradeOf(command);
  if (given.json) printJson(io.stdout, { kind: "upgrade-asked", group, id, wanted, messageId });
  else new Screen(io).say(`${group}: sent "${wanted}" for upgrade ${id}`);
}

/** The argument of the verbs, which a shell completes, and of the groups. */
const wordsArgument = (): Argument =>
  new Argument("<group...>", "the group, or with --all several")
    .choices(upgradeVerbs)
    .argParser((word, before: readonly string[] = []) => [...before, word]);

/** The verbs before a group. Without a verb, an upgrade starts. */
const upgradeVerbs = ["pause", "resume", "abort", "rollback", "status"] as const;
const verbs = ["start", ...upgradeVerbs] as const;

type Verb = (typeof verbs)[number];

/** Reads the verb and the groups. Ends with a usage error if they contradict each other. */
function asked(words: readonly string[], all: true | undefined, command: Command) {
  const named = verbs.find((one) => one === words[0]);
  const [verb, groups] = named === undefined ? ["start" as const, words] : [named, words.slice(1)];
  const usage = (text: string) => command.error(`error: ${text}`, { exitCode: exitCodes.usage });
  if (groups.length === 0) return usage(`no group is named behind ${verb}`);
  const twice = groups.find((group, at) => groups.indexOf(group) !== at);
  if (twice !== undefined) return usage(`group ${twice} is named twice; name it once`);
  if (verb === "start" && groups.length > 1 && all === undefined)
    return usage(
      `${groups.length} groups are named${meantIn(groups)}; --all upgrades them in turn`,
    );
  const foreign = foreignTo(verb, command);
  if (foreign !== undefined) return usage(foreign);
  return { verb, groups };
}

/** The verb that the user has probably misspelt, or put behind the group. */
function meantIn(words: readonly string[]): string {
  const [meant] = words.flatMap((word) => tryNearest(word, verbs) ?? []);
  return meant === undefined ? "" : `; did you mean "upgrade ${meant} GROUP"?`;
}

/** Why an option does not go with a verb. With --dry-run, for example, nothing must be sent. */
function foreignTo(verb: Verb, command: Command): string | undefined {
  const { options } = addUpgradeFlags(new Command()).option("--dry-run");
  const isGiven = (name: string) => command.getOptionValueSource(name) === "cli";
  if (verb !== "abort" && isGiven("id")) return `--id goes with abort, not with ${verb}`;
  const given = options.find((one) => isGiven(one.attributeName()));
  if (verb === "start" || given === undefined) return undefined;
  return `${given.long} goes with the start of an upgrade, not with ${verb}`;
}

/** Refuses what the upgrade function would refuse, before anything is sent. */
async function assertUpgradable(
  group: ScalingGroup,
  to: UpgradeTarget,
  site: UpgradeSite,
): Promise<void> {
  const { name, tags } = group;
  const reading = readBookmark(tags);
  if (reading.kind !== "none")
    throw new CommandFailure(
      `an upgrade of group ${name} is under way`,
      `\`eks-node-lifecycle upgrade status ${shellWord(name)} --cluster ${site.cluster}\` tells where it is; abort puts back what it has changed`,
    );
  if (!site.manages(group))
    throw new CommandFailure(
      `OperationNotPermitted: the deployment of cluster ${site.cluster} does not manage group ${name}`,
      "add it to groups in the cluster's file, or give it the groupTag, and deploy",
    );
  const [issue] = refusals(await site.setupFacts(group, to));
  if (issue !== undefined) throw new CommandFailure(issueText(issue), nothingSent);
  await site.targetsFor(group, to);
}

const nothingSent = "nothing was sent; see docs/upgrade.md for what each error means";
