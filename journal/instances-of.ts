import { type Happening, ofKind } from "./happening.ts";

/** Says which instance a happening is about: by its own words, else by its message, else by the pod that it replaces. */
export function instancesOf(happenings: readonly Happening[]): (one: Happening) => string {
  const told = happenings.filter((one) => named(one) !== "");
  const byMessage = new Map(told.map((one) => [messageOf(one), named(one)]));
  const byPod = new Map(
    ofKind(told, "pods-seen").flatMap((one) => one.holding.map((pod) => [pod, named(one)])),
  );
  return (one) => named(one) || (byMessage.get(messageOf(one)) ?? byPod.get(replacedBy(one)) ?? "");
}

/** The message that an entry names; the happening itself where there is none, which no other one names. */
const messageOf = (one: Happening): unknown =>
  one.source === "function" ? (one.messageId ?? one) : one;

const replacedBy = (one: Happening): string => (one.kind === "pod-running" ? one.replaces : "");

function named(one: Happening): string {
  if (one.kind === "hook-completed") return one.action.instance;
  return "instance" in one ? (one.instance ?? "") : "";
}
