import fc from "fast-check";
import { anyCharacter } from "../base/any-character.ts";
import { absent, misspelt, mistyped } from "../support/changed-json.ts";

/** Texts that break logs, terminals, paths or formats where somebody prints them as they are. */
export const unprintable: readonly string[] = [
  "two\nlines\r\nand\ttabs",
  "\u001b[31mred\u001b[0m\u0007",
  "\u009b31m eight-bit escape \u0085 next line \u007f",
  "right \u202e to left \u2066 isolate \u200f",
  "line \u2028 and paragraph \u2029 separators",
  "not in SQS: \ufffe \uffff \u0000",
  "half a pair: \ud83d",
  "../../../../etc/passwd",
  "%s %d %n $(id) {{7*7}} <script>alert(1)</script>",
  '","kind":"notice-done","outcome":{"kind":"drained"},"x":"',
  "x".repeat(10_000),
];

/** JSON with this many levels, one inside the other. */
export const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

/** Keys that every object inherits, so that a careless reader finds something under them. */
export const inherited: readonly string[] = ["__proto__", "constructor", "toString", "hasOwn"];

const light = misspelt.filter(({ length }) => length < 1000);
const heavy = misspelt.filter(({ length }) => length >= 1000);

/** Something that does not belong where it is put; one value in a hundred has 256 KB. */
export const anyWrongValue: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: fc.constant<unknown>(absent), weight: 20 },
  { arbitrary: fc.jsonValue({ stringUnit: anyCharacter }), weight: 30 },
  { arbitrary: fc.constantFrom<unknown>(...mistyped, ...light, ...unprintable), weight: 49 },
  { arbitrary: fc.constantFrom<unknown>(...heavy), weight: 1 },
);

/** The characters that SQS refuses. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
export const refused = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** A value as JSON that SQS takes: characters that it would refuse are escaped. */
export const sendable = (value: unknown): string =>
  String(JSON.stringify(value)).replace(
    refused,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
