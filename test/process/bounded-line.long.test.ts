import { it } from "vitest";
import { entries, expectBounded } from "./hostile-lines.ts";

it.each(entries)(
  "a line about %s has at most 1,500 bytes with a megabyte in any of its fields",
  (_, entry) => expectBounded(entry, 1_000_000),
);
