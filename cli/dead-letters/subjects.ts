import type { Reader } from "../../lambda/notice/envelope.ts";
import { readRepair } from "../../lambda/repair/repair-message.ts";
import { readUpgrade, upgradeOf } from "../../lambda/upgrade/upgrade-message.ts";

/** What a message is about, in a few words, and the group that it names. */
interface MessageSubject {
  readonly title: string;
  readonly group: string;
}

/** Readers of the messages about upgrades and repairs, which are no notices. */
export const ownMessages: readonly Reader<MessageSubject>[] = [
  (value, path) => {
    const command = readUpgrade(value, path);
    const { kind, group } = command;
    return { title: `${kind} of upgrade ${upgradeOf(command)} of ${group}`, group };
  },
  (value, path) => {
    readRepair(value, path);
    return { title: "look for instances to repair", group: "" };
  },
];
