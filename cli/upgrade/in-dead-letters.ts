import { readUpgrade, upgradeOf } from "../../lambda/upgrade/upgrade-message.ts";
import type { MessageSubject } from "../dead-letters/message-subject.ts";

export function readMessage(value: unknown, path: string): MessageSubject {
  const command = readUpgrade(value, path);
  const { kind, group } = command;
  return { title: `${kind} of upgrade ${upgradeOf(command)} of ${group}`, group };
}
