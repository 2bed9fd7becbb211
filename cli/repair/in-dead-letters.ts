import { readRepair } from "../../lambda/repair/repair-message.ts";
import type { MessageSubject } from "../dead-letters/message-subject.ts";

export function readMessage(value: unknown, path: string): MessageSubject {
  readRepair(value, path);
  return { title: "look for instances to repair", group: "" };
}
