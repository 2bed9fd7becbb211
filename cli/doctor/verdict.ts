import { everyOf, type Found, known, mapped } from "../connect/found.ts";

/** A problem, and what to do about it. */
export interface Problem {
  readonly found: string;
  readonly remedy: string;
}

/** The report of a healthy link, and its problems. */
export interface LinkVerdict {
  readonly well: string;
  readonly problems: readonly Problem[];
  /** Facts that may be intended, and may be worth knowing. @default none */
  readonly notes?: readonly Problem[];
}

/** A problem if the condition is true. */
export const problemIf = (is: boolean, found: string, remedy: string): readonly Problem[] =>
  is ? [{ found, remedy }] : [];

/** The verdict on a link that needs no check. */
export const fine = (well: string): Found<LinkVerdict> => known({ well, problems: [] });

/** The verdict on something that is missing or unusable. */
export const wrong = (found: string, remedy: string): LinkVerdict => ({
  well: "",
  problems: [{ found, remedy }],
});

/** The verdict on a part of the stack that was deleted without CloudFormation. */
export const lost = (
  what: string,
  remedy = "delete the stack and deploy it again (docs/deploy.md#removing-it)",
): LinkVerdict => wrong(`${what} is not there, although the stack has it`, remedy);

/** The remedy for a part that the cluster's file can switch off. */
export const switched = (where: string): string =>
  `switch it off in ${where} of the cluster's file, deploy, switch it on again, and deploy`;

/** Combines verdicts on one link. If one is unknown, the result is unknown. */
export const joined = (verdicts: readonly Found<LinkVerdict>[]): Found<LinkVerdict> =>
  mapped(everyOf(verdicts), (all) => ({
    well: all.map(({ well }) => well).join("; "),
    problems: all.flatMap(({ problems }) => problems),
    notes: all.flatMap(({ notes = [] }) => notes),
  }));
