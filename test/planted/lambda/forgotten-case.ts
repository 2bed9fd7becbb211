// @ts-nocheck
type Eviction = "accepted" | "blocked" | "gone";

export function told(eviction: Eviction): string {
  switch (eviction) {
    case "accepted":
      return "leaves";
    case "blocked":
      return "waits";
  }
  return "";
}
