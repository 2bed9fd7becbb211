import { counted } from "../../lambda/base/counted.ts";
import { undoOptions } from "../drain/drain-verdict.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { EvacuationEnd } from "./evacuation-schema.ts";
import type { EvacuationRequest } from "./zone-look.ts";

export interface EvacuationResult
  extends Pick<EvacuationEnd, "ending" | "left" | "line" | "nodes" | "replaced"> {
  readonly exitCode: ExitCode;
}

/** A node that is left to something else. */
export interface LeftNode {
  readonly node: string;
  readonly why: string;
  /** The state of its instance in its group. */
  readonly state: string;
  /** The number of pods that a drain would evict from it. */
  readonly pods: number;
}

/** The result in a zone. */
interface EvacuatedZone {
  readonly wish: EvacuationRequest;
  readonly code: ExitCode;
  readonly ours: readonly string[];
  readonly left: readonly LeftNode[];
  readonly replaced: readonly string[];
}

/** Judges the evacuation of a zone. An instance that its group is ending counts as gone once its node has no pod to move. */
export function endOf({ wish, code, ours, left, replaced }: EvacuatedZone): EvacuationResult {
  const waits = left.filter(({ state, pods }) => pods > 0 || !state.includes("Terminat"));
  const isLeft = code === exitCodes.done && waits.length > 0;
  const ending = endingOf(wish, code, ours.length + left.length);
  return {
    ending,
    exitCode: isLeft ? exitCodes.notDone : code,
    line: `zone ${wish.zone}: ${linesOf(wish, ours.length, replaced.length)[ending]}${leftWords(left)}`,
    nodes: ours,
    replaced,
    left: left.map(({ node, why }) => ({ node, why })),
  };
}

function endingOf(
  { what, end }: EvacuationRequest,
  code: ExitCode,
  nodes: number,
): EvacuationResult["ending"] {
  if (nodes === 0) return "nothing";
  if (what === "dry-run") return "dry-run";
  if (code !== exitCodes.done) return "not-drained";
  return end === "keep" ? "kept" : "replaced";
}

function linesOf(wish: EvacuationRequest, ours: number, replaced: number) {
  const options = undoOptions(wish.settings.taints);
  const undo = `\`evacuate ${wish.cluster} --zone ${wish.zone} ${options}\` opens them again`;
  return {
    kept: `${are(ours)} empty, and cordoned until ${undo}`,
    replaced: `${are(ours)} empty; ${counted(replaced, "instance")} handed over, to be replaced in other zones`,
    "not-drained": `not all nodes are empty: repeat the command to go on, or ${undo}`,
    "dry-run": `nothing was changed; ${counted(ours, "node")} would be emptied`,
    opened: "",
    nothing: "it has no managed node",
  };
}

const are = (count: number): string => `${counted(count, "node")} ${count === 1 ? "is" : "are"}`;

const leftWords = (left: EvacuatedZone["left"]): string =>
  left.length === 0
    ? ""
    : `; ${counted(left.length, "node")} left to something else: ${left.map(({ node }) => node).join(", ")}`;
