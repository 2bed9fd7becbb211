import { Command } from "commander";
import { tryNearest } from "../../lib/nearest.ts";
import { exitCodes } from "../exit-code.ts";
import { addUpgradeFlags } from "./upgrade-flags.ts";

const verbs = ["start", "pause", "resume", "abort", "status"] as const;

/** What somebody wants of the upgrade of a group. */
export type Verb = (typeof verbs)[number];

/** Reads what is to be done with which groups; what contradicts itself ends the command. */
export function asked(words: readonly string[], all: true | undefined, command: Command) {
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

/** The verb that somebody has most likely misspelt, or put behind the group. */
function meantIn(words: readonly string[]): string {
  const [meant] = words.flatMap((word) => tryNearest(word, verbs) ?? []);
  return meant === undefined ? "" : `; did you mean "upgrade ${meant} GROUP"?`;
}

/** Why an option does not go with a verb: whoever gives --dry-run means that nothing is sent. */
function foreignTo(verb: Verb, command: Command): string | undefined {
  const { options } = addUpgradeFlags(new Command()).option("--dry-run");
  const isGiven = (name: string) => command.getOptionValueSource(name) === "cli";
  if (verb !== "abort" && isGiven("id")) return `--id goes with abort, not with ${verb}`;
  const given = options.find((one) => isGiven(one.attributeName()));
  if (verb === "start" || given === undefined) return undefined;
  return `${given.long} goes with the start of an upgrade, not with ${verb}`;
}
