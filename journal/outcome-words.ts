import type { Outcome } from "../lambda/domain/notice/outcome.ts";

/** An outcome in a few words. */
export function outcomeWords(outcome: Outcome): string {
  switch (outcome.kind) {
    case "drained":
      return ["drained", ...remainders(outcome)].join(", with ");
    case "expired":
      return `expired, with ${outcome.left.length} pods still on the node`;
    case "no-node":
      return "no node of this instance";
    case "instance-ended":
      return "the instance has ended by itself";
    case "joined":
      return `joined: ${outcome.node} is ready`;
    case "registered":
      return `${outcome.role} may join`;
    case "not-joined":
      return `not joined, completed with ${outcome.result}: ${outcome.reason}`;
    case "released-elsewhere":
      return "released by somebody else";
    case "tested":
      return "test notification acknowledged";
    case "ignored":
      return `ignored: ${outcome.reason}`;
  }
}

type Drained = Extract<Outcome, { readonly kind: "drained" }>;

const remainders = ({ attached, stuck }: Drained): readonly string[] => [
  ...(attached.length === 0 ? [] : [`volumes still attached: ${attached.join(", ")}`]),
  ...(stuck.length === 0 ? [] : [`pods that do not end: ${stuck.join("; ")}`]),
];
