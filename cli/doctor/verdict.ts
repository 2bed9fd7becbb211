import { everyOf, type Found, known, mapped } from "../connect/found.ts";

/** Something that is wrong, and what to do about it. */
export interface Problem {
  readonly found: string;
  readonly remedy: string;
}

/** What a link is like when all is well with it, and what is wrong with it. */
export interface LinkVerdict {
  readonly well: string;
  readonly problems: readonly Problem[];
}

/** A problem, if something is so. */
export const problemIf = (is: boolean, found: string, remedy: string): readonly Problem[] =>
  is ? [{ found, remedy }] : [];

/** The verdict about a link of which nothing has to be looked at. */
export const fine = (well: string): Found<LinkVerdict> => known({ well, problems: [] });

/** The verdict about something that is not there, or of no use at all. */
export const wrong = (found: string, remedy: string): LinkVerdict => ({
  well: "",
  problems: [{ found, remedy }],
});

/** A part of the stack that somebody has deleted; CloudFormation does not notice. */
export const lost = (
  what: string,
  remedy = "delete the stack and deploy it again (docs/deploy.md#removing-it)",
): LinkVerdict => wrong(`${what} is not there, although the stack has it`, remedy);

/** How a part comes back that the cluster's file can switch off. */
export const switched = (where: string): string =>
  `switch it off in ${where} of the cluster's file, deploy, switch it on again, and deploy`;

/** Several verdicts about one link; one that is unknown leaves the link unknown. */
export const joined = (verdicts: readonly Found<LinkVerdict>[]): Found<LinkVerdict> =>
  mapped(everyOf(verdicts), (all) => ({
    well: all.map(({ well }) => well).join("; "),
    problems: all.flatMap(({ problems }) => problems),
  }));
