import { everyOf, type Found } from "../connect/found.ts";

/** The links from a hook to the release of its instance, in the order in which a notice passes them; then what watches over them. */
export const links = [
  "credentials",
  "stack",
  "cluster",
  "hooks",
  "hooks' role",
  "topic",
  "key",
  "subscription",
  "queue",
  "dead letters",
  "mapping",
  "function",
  "network",
  "security groups",
  "permissions",
  "access",
  "rbac",
  "fences",
  "rules",
  "alarms",
  "last drain",
  "upgrades",
  "repairs",
] as const;

/** A link from a hook to the release of its instance. */
export type Link = (typeof links)[number];

/** What was found of a link. */
export interface Finding {
  readonly link: Link;
  /** `absent` where the stack is not there that has the link; `unknown` where it could not be read. */
  readonly state: "absent" | "broken" | "ok" | "unknown";
  readonly found: string;
  /** What to do about it; empty where nothing is to be done. */
  readonly remedy: string;
}

/** Something that is wrong, and what to do about it. */
export type Problem = Pick<Finding, "found" | "remedy">;

/** What a link is like when all is well with it, and what is wrong with it. */
export interface Verdict {
  readonly well: string;
  readonly problems: readonly Problem[];
}

/** A problem, if something is so. */
export const problemIf = (is: boolean, found: string, remedy: string): readonly Problem[] =>
  is ? [{ found, remedy }] : [];

/** The verdict about something that is not there, or of no use at all. */
export const wrong = (found: string, remedy: string): Verdict => ({
  well: "",
  problems: [{ found, remedy }],
});

/** A part of the stack that somebody has deleted; CloudFormation does not notice. */
export const lost = (
  what: string,
  remedy = "delete the stack and deploy it again (docs/deploy.md#removing-it)",
): Verdict => wrong(`${what} is not there, although the stack has it`, remedy);

/** How a part comes back that the cluster's file can switch off. */
export const switched = (where: string): string =>
  `switch it off in ${where} of the cluster's file, deploy, switch it on again, and deploy`;

/** A link that could not be read. */
export const unread = (link: Link, found: string, remedy: string): readonly Finding[] => [
  { link, state: "unknown", found, remedy },
];

/** The findings of a verdict about a link. */
export const findingsOf = (link: Link, { well, problems }: Verdict): readonly Finding[] =>
  problems.length === 0
    ? [{ link, state: "ok", found: well, remedy: "" }]
    : problems.map((problem) => ({ link, state: "broken", ...problem }));

/** Judges a link by what was read of it; what could not be read stays unknown. */
export const judged = <T>(
  link: Link,
  read: Found<T>,
  judge: (value: T) => Verdict,
): readonly Finding[] =>
  read.kind === "unknown"
    ? unread(link, read.why, read.remedy)
    : findingsOf(link, judge(read.value));

/** Judges a link by several verdicts; one that is unknown leaves the link unknown. */
export const judgedAll = (link: Link, verdicts: readonly Found<Verdict>[]): readonly Finding[] =>
  judged(link, everyOf(verdicts), (all) => ({
    well: all.map(({ well }) => well).join("; "),
    problems: all.flatMap(({ problems }) => problems),
  }));
