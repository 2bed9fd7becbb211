import type { Outcome } from "../domain/outcome.ts";
import { type Instant, never } from "../domain/time.ts";
import type { Ports } from "../ports.ts";
import { awaitDetachment } from "./await-detachment.ts";
import { type Emptied, type Emptying, emptyNode } from "./empty-node.ts";

/** How far a pass came with a node: to an outcome, to a release by somebody else, or not to the end. */
export type Cleared =
  | { readonly kind: "cleared"; readonly outcome: Outcome }
  | { readonly kind: "released-elsewhere" }
  /** The node is not as it was marked: gone, replaced, or open to pods again. */
  | { readonly kind: "changed"; readonly how: "gone" | "not as marked" }
  | {
      readonly kind: "unfinished";
      /** What still holds the node, a line each. */
      readonly left: readonly string[];
      readonly progressed: boolean;
      /** When a pod of it is to be forced next. */
      readonly nextForce: Instant;
    };

/** Empties a node of its pods, then of their volumes, then of pods that have come in the meantime. */
export const clearNode = (emptying: Emptying, ports: Ports): Promise<Cleared> =>
  clear(emptying, ports, "volumes are waited for");

/** What is to be done about volumes: those that have been waited for in vain are not waited for again. */
type Volumes = "volumes are waited for" | readonly string[];

async function clear(emptying: Emptying, ports: Ports, attached: Volumes): Promise<Cleared> {
  const emptied = await emptyNode(emptying, ports);
  if (emptied.stuck.length > 0)
    ports.journal.record({
      kind: "warning",
      about: `node ${emptied.node.name}`,
      warnings: emptied.stuck,
    });
  switch (emptied.kind) {
    case "drained":
      return attached === "volumes are waited for"
        ? detach(emptying, emptied, ports)
        : drained(attached, emptied);
    case "expired":
      return {
        kind: "cleared",
        outcome: { kind: "expired", left: [...emptied.left, ...emptied.stuck] },
      };
    case "instance-ended":
      return { kind: "cleared", outcome: { kind: "instance-ended" } };
    case "released-elsewhere":
      return { kind: "released-elsewhere" };
    case "gone":
    case "not as marked":
      return { kind: "changed", how: emptied.kind };
    case "unfinished":
      return { ...emptied, kind: "unfinished" };
  }
}

async function detach(emptying: Emptying, emptied: Emptied, ports: Ports): Promise<Cleared> {
  const { volumeTimeout: timeout } = emptying.settings;
  const { staying, node, volumes } = emptied;
  if (volumes === "none") return drained([], emptied);
  const detached = await awaitDetachment({ ...emptying, node, staying, timeout }, ports);
  switch (detached.kind) {
    case "none":
      return drained([], emptied);
    case "detached":
      return clearNode(emptying, ports);
    case "timed-out":
      return clear(emptying, ports, detached.left);
    case "released-elsewhere":
      return { kind: "released-elsewhere" };
    case "unfinished":
      return {
        kind: "unfinished",
        left: detached.left.map(attachedLine),
        progressed: true,
        nextForce: never,
      };
  }
}

const drained = (attached: readonly string[], { stuck }: Emptied): Cleared => ({
  kind: "cleared",
  outcome: { kind: "drained", attached, stuck },
});

const attachedLine = (volume: string): string => `volume ${volume}: still attached`;
