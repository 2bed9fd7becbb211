import type { Instant } from "../../lambda/domain/time.ts";
import { CommandFailure } from "../command-failure.ts";
import { type Refusal, type Standing, tryRefusal, tryUndoRefusal } from "./standing.ts";
import type { Asked, Target } from "./targets.ts";

/** Ends the command unless a node may be drained at a terminal. */
export const assertMayDrain = (target: Target, asked: Asked, now: Instant): void =>
  assertNot(tryRefusal(standingOf(target, asked, now)));

/** Ends the command unless a node may be opened at a terminal. */
export const assertMayOpen = (target: Target, asked: Asked, now: Instant): void =>
  assertNot(tryUndoRefusal(standingOf(target, asked, now)));

function assertNot(refusal: Refusal | undefined): void {
  if (refusal === undefined) return;
  throw new CommandFailure(`${refusal.why}; nothing was touched`, refusal.remedy);
}

function standingOf({ node, instance }: Target, asked: Asked, now: Instant): Standing {
  const nothing = { membership: "unasked", ec2Instance: "unasked" } as const;
  return { node, now, ...(asked.said.get(instance) ?? nothing) };
}
