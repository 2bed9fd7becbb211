import { expect, it } from "vitest";
import { placeWords } from "../../lambda/drain/place-words.ts";
import type { Placement } from "../../lambda/drain/placement.ts";

it.each<[Placement, string]>([
  [{ kind: "place" }, ""],
  [
    { kind: "crowded", nodes: 3, short: ["cpu", "memory"] },
    "its replacement may find no place: together they need more cpu and memory than 3 nodes have free",
  ],
  [{ kind: "nowhere", reasons: {} }, "its replacement finds no place: there is no other node"],
  [
    { kind: "nowhere", reasons: { cordoned: 1, "too little cpu": 4 } },
    "its replacement finds no place: too little cpu (4), cordoned (1)",
  ],
])("the place %j reads: %s", (placement, words) => {
  expect(placeWords(placement)).toBe(words);
});
