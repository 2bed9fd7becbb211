import type { Tone } from "../../journal/line.ts";
import { alike } from "../alike.ts";
import { exitCodes } from "../exit-code.ts";
import { type Line, line } from "../terminal/lines.ts";
import type { Doctor } from "./doctor-schema.ts";
import { type Link, links, linkTable } from "./links.ts";

export interface LinkFinding extends Omit<Doctor["links"][number], "see"> {
  readonly link: Link;
}

/** Sorts findings into the order in which a notice passes the links. */
export function reportOf(
  {
    cluster,
    region,
    which,
  }: Pick<Doctor, "cluster" | "region"> & { readonly which: "each" | "not well" },
  findings: readonly LinkFinding[],
): Doctor {
  const ordered = links.flatMap((link) => findings.filter((finding) => finding.link === link));
  const count = (state: LinkFinding["state"]): number =>
    new Set(ordered.filter((finding) => finding.state === state).map(({ link }) => link)).size;
  const counts = (["broken", "absent", "unknown"] as const)
    .filter((state) => count(state) > 0)
    .map((state) => `${count(state)} ${state}`);
  const well = `${count("ok")} of ${new Set(ordered.map(({ link }) => link)).size} links are well`;
  return {
    kind: "doctor",
    cluster,
    region,
    exitCode: codeOf(ordered),
    line: `${which === "each" ? cluster : `${cluster} in ${region}`}: ${[...counts, well].join(", ")}`,
    links: ordered.map((finding) => ({ ...finding, see: linkTable[finding.link].see })),
  };
}

/** A broken link counts before an unknown one. */
function codeOf(findings: readonly LinkFinding[]): Doctor["exitCode"] {
  const is = (...states: readonly LinkFinding["state"][]) =>
    findings.some(({ state }) => states.includes(state));
  if (is("broken", "absent")) return exitCodes.notDone;
  return is("unknown") ? exitCodes.fault : exitCodes.done;
}

const tones: Readonly<Record<LinkFinding["state"], Tone>> = {
  absent: "bad",
  broken: "bad",
  note: "careful",
  ok: "good",
  unknown: "careful",
};

/** The report for people, with a hint how to try everything with an instance. */
export const reportLines = (report: Doctor): readonly Line[] => [
  ...linkLines(report.links),
  summaryLine(report),
  line(
    "faint",
    0,
    `${report.exitCode === exitCodes.done ? "" : "once all is well, "}\`verify ${report.cluster} --group GROUP\` tries it with an instance`,
  ),
];

/** The problems of one cluster among many, below its name. */
export const reportLinesOfOne = (report: Doctor): readonly Line[] => [
  summaryLine(report),
  ...linkLines(report.links.filter(({ state }) => state !== "ok")).map((one) => ({
    ...one,
    depth: one.depth + 1,
  })),
];

const summaryLine = ({ line: text, exitCode }: Doctor): Line =>
  line(exitCode === exitCodes.done ? "good" : "bad", 0, text);

/** One line for all links with the same finding, and each remedy once below them. */
function linkLines(links: Links): readonly Line[] {
  const groups = alike(links, ({ state, link, found, remedy }) =>
    state === "ok" ? link : `${state} ${found} ${remedy}`,
  ).map(([, all]) => ({ all, remedy: remedyFor(all) }));
  return groups.flatMap(({ all, remedy }, index) => [
    ...foundLines(all),
    ...(remedy === "" || remedy === groups[index + 1]?.remedy ? [] : [line("plain", 1, remedy)]),
  ]);
}

type Links = Doctor["links"];

const remedyFor = ([first]: Links): string =>
  first === undefined || first.state === "ok" ? "" : `remedy: ${first.remedy} (${first.see})`;

const foundLines = (all: Links): readonly Line[] =>
  all.slice(0, 1).map(({ state, found }) => {
    const links = all.map(({ link }) => link).join(", ");
    return line(tones[state], 0, `${state.padEnd(7)}  ${links}: ${found}`);
  });
