import fc from "fast-check";
import { type Path, placesIn, replaced } from "../support/changed-json.ts";
import { noticeIn, savedEvent, savedEvents, snsEnvelope } from "../support/saved-events.ts";
import { anyWrongValue, deep, inherited, refused, sendable } from "./hostile-values.ts";

/** What a hostile sender knows of a cluster. */
export interface Known {
  /** Well-formed notices about its instances. */
  readonly notices: readonly unknown[];
  /** The names of its groups, hooks and instances, and the tokens of others. */
  readonly truths: readonly string[];
}

const samples = savedEvents.flatMap((name) => [noticeIn(name), savedEvent(name)]);

/** Everything that stands anywhere in a sample. */
const found = samples.flatMap((sample) => placesIn(sample).map((path) => at(sample, path)));

function at(value: unknown, path: Path): unknown {
  return path.reduce((inner, key) => Object(inner)[key], value);
}

/** Changes the structure of a notice at some places, to something wrong or to what stands elsewhere or is true here. */
const changed = ({ notices, truths }: Known): fc.Arbitrary<unknown> => {
  const by = fc.oneof(anyWrongValue, fc.constantFrom(...found), fc.constantFrom(...truths));
  const change = fc.tuple(fc.nat(), by);
  const notice = fc.oneof(fc.constantFrom(...samples), fc.constantFrom(...notices));
  return fc.tuple(notice, fc.array(change, { maxLength: 2 })).map(([sample, changes]) =>
    changes.reduce<unknown>((value, [index, wrong]) => {
      const places = placesIn(value).slice(1);
      const place = places[index % Math.max(1, places.length)];
      return place === undefined ? value : replaced(value, place, wrong);
    }, sample),
  );
};

type Rewrite = (text: string) => string;

const carried: fc.Arbitrary<Rewrite> = fc.constantFrom<Rewrite>(
  (text) => text,
  (text) => text,
  (text) => JSON.stringify(snsEnvelope(text)),
  (text) => JSON.stringify(snsEnvelope(text)),
  (text) => JSON.stringify(snsEnvelope(JSON.stringify(snsEnvelope(text)))),
);

/** Adds a field in front of the others, under a name that objects inherit, or so deep that recursion would fail. */
const enlarged: fc.Arbitrary<Rewrite> = fc.oneof(
  { arbitrary: fc.constant<Rewrite>((text) => text), weight: 80 },
  {
    arbitrary: fc
      .tuple(fc.constantFrom(...inherited), fc.constantFrom(...samples))
      .map(([key, value]): Rewrite => withField(key, JSON.stringify(value))),
    weight: 19,
  },
  { arbitrary: fc.constant<Rewrite>(withField("Further", deep(100_000))), weight: 1 },
);

function withField(key: string, json: string): Rewrite {
  return (text) => text.replace("{", () => `{${JSON.stringify(key)}:${json},`);
}

interface ByteChange {
  readonly kind: "cut" | "flip" | "insert" | "remove" | "repeat";
  readonly place: number;
  readonly bytes: Uint8Array;
}

const byteChange: fc.Arbitrary<ByteChange> = fc.record({
  kind: fc.constantFrom("cut", "flip", "insert", "remove", "repeat"),
  place: fc.double({ min: 0, max: 1, noNaN: true }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
});

function withBytes(text: string, { kind, place, bytes }: ByteChange): string {
  const all = Buffer.from(text);
  const index = Math.floor(place * all.length);
  const [before, after] = [all.subarray(0, index), all.subarray(index)];
  const rest = after.subarray(bytes.length);
  const parts = {
    cut: [before],
    flip: [before, after.subarray(0, bytes.length).map((byte) => byte ^ (bytes[0] ?? 1)), rest],
    insert: [before, bytes, after],
    remove: [before, rest],
    repeat: [before, after.subarray(0, 64 * bytes.length), after],
  };
  return Buffer.concat(parts[kind]).toString();
}

/** What SQS takes for a body. */
const accepted = (text: string): string => text.replace(refused, "?") || "?";

/** A message that somebody hostile may put into the queue: a sample whose structure is changed, and often its bytes too. */
export const anyMessage = (known: Known): fc.Arbitrary<string> =>
  fc
    .record({
      value: changed(known),
      enlarge: enlarged,
      carry: carried,
      bytes: fc.oneof(
        fc.array(byteChange, { maxLength: 0 }),
        fc.array(byteChange, { maxLength: 3 }),
      ),
    })
    .map(({ value, enlarge, carry, bytes }) =>
      accepted(bytes.reduce(withBytes, carry(enlarge(sendable(value))))),
    );
