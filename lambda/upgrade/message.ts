import { optionWords } from "./options.ts";
import type { UpgradeCommand, UpgradeTarget } from "./request.ts";

/** Writes the message that says what is wanted of the upgrade of a group. */
export function upgradeMessage(command: UpgradeCommand): string {
  const { kind: upgrade, id, group } = command;
  if (command.kind !== "start") return JSON.stringify({ upgrade, id, group, of: command.of });
  const options = optionWords(command.options);
  return JSON.stringify({ upgrade, id, group, to: written(command.to), options });
}

const written = (to: UpgradeTarget) =>
  to.kind === "version" ? { ...to, version: String(to.version) } : to;
