import { productVersion } from "../../lambda/base/contract.ts";
import { counted } from "../../lambda/base/counted.ts";
import { seconds, spoken } from "../../lambda/base/time.ts";
import type { Found } from "../connect/found.ts";
import type { Status } from "../status/status-schema.ts";
import { type Line, line } from "../terminal/lines.ts";

/** What a row of `status --all` has beside the status of the cluster. */
export interface Beside {
  readonly region: string;
  /** The version of the deployment. */
  readonly version: Found<string>;
  /** The alarms that go off. */
  readonly alarms: Found<readonly string[]>;
}

/** A row for a cluster: its version, what it holds and for how long, its dead letters and its alarms. */
export function summaryOf(status: Status, { region, version, alarms }: Beside) {
  return {
    kind: "summary-of-cluster",
    ...{ cluster: status.cluster, region, at: status.at },
    deployed: version.kind === "known" ? version.value : null,
    behind: version.kind === "known" && version.value !== productVersion,
    held: status.gaps.some(({ source }) => source === "Auto Scaling") ? null : status.held.length,
    oldestSeconds: oldestIn(status),
    dead: status.queue?.dead ?? null,
    alarms: alarms.kind === "known" ? [...alarms.value] : null,
    gaps: status.gaps.map(({ source, why }) => `${source}: ${why}`),
  } as const;
}

type Summary = ReturnType<typeof summaryOf>;

/** How long the node that was marked first has been waiting. */
function oldestIn({ at, held }: Status): number | null {
  const marks = held.flatMap(({ node }) => (node === "none" ? [] : [Date.parse(node.markedAt)]));
  const known = marks.filter((mark) => !Number.isNaN(mark));
  return known.length === 0 ? null : Math.round((Date.parse(at) - Math.min(...known)) / 1000);
}

/** Tells people of a cluster on one line. */
export function summaryLine(summary: Summary): Line {
  const { cluster, region, deployed, behind, held, dead, alarms, gaps } = summary;
  const words = [
    `version ${deployed ?? "unknown"}${behind ? ` (this is ${productVersion})` : ""}`,
    heldWords(summary),
    dead === null ? "dead letters unknown" : counted(dead, "dead letter"),
    alarms === null ? "alarms unknown" : counted(alarms.length, "alarm"),
    ...(gaps.length === 0 ? [] : [`not read: ${gaps.join(", ")}`]),
  ];
  const isWell = [held, dead, alarms?.length, gaps.length].every((count) => count === 0) && !behind;
  return line(isWell ? "good" : "plain", 0, `${cluster}, ${region}: ${words.join("; ")}`);
}

function heldWords({ held, oldestSeconds: oldest }: Summary): string {
  if (held === null) return "held instances unknown";
  return `${held} held${oldest === null ? "" : `, the oldest for ${spoken(seconds(oldest))}`}`;
}
