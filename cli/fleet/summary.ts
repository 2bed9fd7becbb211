import { productVersion } from "../../lambda/base/contract.ts";
import { seconds, spoken } from "../../lambda/base/time.ts";
import { alike } from "../alike.ts";
import { comparedVersions } from "../compared-versions.ts";
import { clockWords } from "../connect/clock-words.ts";
import type { Found } from "../connect/found.ts";
import type { Gap } from "../status/gap-schema.ts";
import type { ClusterStatus } from "../status/status-schema.ts";
import { type Line, line } from "../terminal/lines.ts";

/** The row of a cluster: its version, held instances and their age, dead letters and alarms. */
export function summaryOf(
  status: ClusterStatus,
  {
    region,
    version,
    alarms,
  }: {
    readonly region: string;
    /** The version of the deployment. */
    readonly version: Found<string>;
    /** The alarms in state ALARM. */
    readonly alarms: Found<readonly string[]>;
  },
) {
  return {
    kind: "summary-of-cluster",
    cluster: status.cluster,
    region,
    at: status.at,
    deployed: version.kind === "known" ? version.value : null,
    behind: version.kind === "known" ? comparedVersions(version.value, productVersion) < 0 : null,
    held: status.gaps.some(({ hides }) => hides === "instances") ? null : status.held.length,
    oldestSeconds: oldestIn(status),
    dead: status.queue?.dead ?? null,
    alarms: alarms.kind === "known" ? [...alarms.value] : null,
    broken: status.broken.map(({ link, found }) => `${link}: ${found}`),
    clockAheadSeconds: status.clockAheadSeconds,
    gaps: status.gaps.map(({ source, why }) => `${source}: ${why}`),
  } as const;
}

type Summary = ReturnType<typeof summaryOf>;

/** The seconds since the first mark among nodes of held instances; `null` without one. */
function oldestIn({ at, held }: ClusterStatus): number | null {
  const marks = held.flatMap(({ node }) => (node === "none" ? [] : [Date.parse(node.markedAt)]));
  const known = marks.filter((mark) => !Number.isNaN(mark));
  return known.length === 0 ? null : Math.round((Date.parse(at) - Math.min(...known)) / 1000);
}

/** A cluster in the table: its summary, or why it has none. */
export interface ClusterRow {
  readonly cluster: string;
  readonly summary: Summary | "none";
  /** The facts that could not be read, and the remedies. */
  readonly gaps: readonly Gap[];
}

const heads = ["CLUSTER", "REGION", "VERSION", "HELD", "OLDEST", "DEAD LETTERS", "ALARMS"];

/** The table for people: a row for each cluster, and below it what could not be read. */
export function fleetLines(rows: readonly ClusterRow[]): readonly Line[] {
  const sorted = rows.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const table = sorted.map(({ cluster, summary }) => cellsOf(cluster, summary));
  const widths = heads.map((_, at) =>
    Math.max(...[heads, ...table].map((cells) => cells[at]?.length ?? 0)),
  );
  const text = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  return [
    line("faint", 0, text(heads)),
    ...sorted.map((row, at) => line(isWell(row) ? "good" : "plain", 0, text(table[at] ?? []))),
    ...clockLines(sorted),
    ...gapLines(sorted),
  ];
}

/**
 * The difference of this computer's clock, by the first cluster that gives one: all commands run on
 * one computer.
 */
const clockLines = (rows: readonly ClusterRow[]): readonly Line[] =>
  rows
    .flatMap(({ summary }) => (summary === "none" ? [] : [summary.clockAheadSeconds]))
    .map((ahead) => clockWords(seconds(ahead)))
    .filter((words) => words !== "")
    .slice(0, 1)
    .map((words) => line("careful", 0, `${words}; all times here are the clusters'`));

const placeOf = ({ cluster, summary }: ClusterRow): string =>
  `${cluster} ${summary === "none" ? "" : summary.region}`;

const unknown = "?";

function cellsOf(cluster: string, summary: Summary | "none"): readonly string[] {
  if (summary === "none") return [cluster, ...heads.slice(1).map(() => unknown)];
  const { region, deployed, held, oldestSeconds: oldest, dead, alarms } = summary;
  const count = (number: number | null | undefined): string => `${number ?? unknown}`;
  return [
    cluster,
    region,
    deployed === null ? unknown : `${deployed}${ageOf(deployed)}`,
    count(held),
    oldest === null ? "" : spoken(seconds(oldest)),
    count(dead),
    count(alarms?.length),
  ];
}

function ageOf(deployed: string): string {
  const order = comparedVersions(deployed, productVersion);
  return order === 0 ? "" : ` (${order < 0 ? "older" : "newer"} than ${productVersion})`;
}

const isWell = ({ summary, gaps }: ClusterRow): boolean =>
  summary !== "none" &&
  [summary.held, summary.dead, summary.alarms?.length, gaps.length].every((one) => one === 0) &&
  summary.deployed === productVersion;

const gapLines = (rows: readonly ClusterRow[]): readonly Line[] =>
  alike(
    rows.flatMap(({ cluster, summary, gaps }) =>
      alike(gaps, ({ why, remedy }) => `${why}; ${remedy}`).map(([shortText, all]) => {
        const sources = all.flatMap(({ source }) => (source === "" ? [] : [source]));
        const what = sources.length === 0 ? "" : ` (${sources.join(", ")})`;
        const isOne = rows.filter((row) => row.cluster === cluster).length === 1;
        const where = isOne || summary === "none" ? "" : ` in ${summary.region}`;
        return { what: `${cluster}${where}${what}`, text: shortText };
      }),
    ),
    ({ text: shortText }) => shortText,
  ).map(([shortText, all]) =>
    line("careful", 0, `${all.map(({ what }) => what).join(", ")}: ${shortText}`),
  );
