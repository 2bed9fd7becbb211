import type { Placement } from "./placement.ts";

/** Says why a replacement finds no place; empty where it finds one. */
export function placeWords(placement: Placement): string {
  if (placement.kind === "place") return "";
  if (placement.kind === "crowded")
    return `its replacement may find no place: together they need more ${placement.short.join(" and ")} than ${placement.nodes} nodes have free`;
  const reasons = Object.entries(placement.reasons).toSorted(([, a], [, b]) => b - a);
  const counted = reasons.map(([reason, count]) => `${reason} (${count})`).join(", ");
  return `its replacement finds no place${counted === "" ? ": there is no other node" : `: ${counted}`}`;
}
