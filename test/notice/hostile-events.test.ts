import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fault } from "../../lambda/base/fault.ts";
import { anyCharacter } from "../base/any-character.ts";
import {
  absent,
  misspelt,
  mistyped,
  placesIn,
  replaced,
  written,
} from "../support/changed-json.ts";
import { delivered, expectComplaint, kindOf, theOnly } from "../support/complaint.ts";
import { carriers, noticeIn, queueRecord, savedEvents, snsEvent } from "../support/saved-events.ts";

describe("a hostile event", () => {
  const terminate = JSON.stringify(noticeIn("sns-asg-terminate"));

  it("changes no prototype and adds nothing to a notice", () => {
    const poison = `"__proto__":{"polluted":1,"Records":[]},"constructor":{"prototype":{"polluted":1}}`;
    const event = snsEvent(`{${poison},${terminate.slice(1)}`);
    const { content } = theOnly(event);
    expect(content).toStrictEqual(theOnly(snsEvent(terminate)).content);
    expect(Object.getPrototypeOf(content)).toBe(Object.prototype);
    expect("polluted" in {}).toBe(false);
  });

  it("gets no field by inheritance", () => {
    expectComplaint(theOnly(JSON.parse(`{"__proto__":${terminate}}`)), "the event");
    expectComplaint(theOnly(Object.create(noticeIn("sns-asg-terminate"))), "the event");
    expectComplaint(
      theOnly(snsEvent(`{"detail-type":"x","__proto__":${terminate}}`)),
      "Records[0].Sns.Message.id",
    );
  });

  it.each([
    ["lists", "[".repeat(100_000) + "]".repeat(100_000)],
    ["objects", `${'{"a":'.repeat(40_000)}1${"}".repeat(40_000)}`],
  ])("may nest %s as deep as it likes without harm", (_, deep) => {
    expectComplaint(theOnly({ Records: [queueRecord(deep)] }), "Records[0].body");
    const further = `{"Further":${deep},${terminate.slice(1)}`;
    expect(kindOf(theOnly({ Records: [queueRecord(further)] }))).toBe("terminating");
    const instead = JSON.stringify({ LifecycleTransition: "deep" }).replace('"deep"', deep);
    expectComplaint(
      theOnly({ Records: [queueRecord(instead)] }),
      "Records[0].body.LifecycleTransition",
    );
  });

  it("of 256 KB of noise is described in one line", () => {
    const bytes = fc.string({ unit: anyCharacter, minLength: 65_536, maxLength: 65_536 });
    fc.assert(
      fc.property(bytes, (text) => {
        expectComplaint(theOnly({ Records: [queueRecord(`~${text}`)] }), "Records[0].body");
      }),
      { numRuns: 10 },
    );
  });
});

/** Fields that decide whether an event requires an action; with another text in them it may be unrelated. */
const deciding = /source|detail-type|service|eventTypeCategory|eventScopeCode|affectedEntities/;

describe("an event with one thing changed", () => {
  const carried = savedEvents.flatMap((name) =>
    Object.values(carriers).map(({ carry }) => ({ notice: noticeIn(name), carry })),
  );
  const change = fc.oneof(
    fc.constant<unknown>(absent),
    fc.jsonValue({ stringUnit: anyCharacter }),
    fc.constantFrom<unknown>(...mistyped, ...misspelt),
  );

  it("inside its notice is read as before or is malformed", () => {
    const anyNotice = fc.constantFrom(...carried).chain(({ notice, carry }) =>
      fc.record({
        notice: fc.constant(notice),
        carry: fc.constant(carry),
        path: fc.constantFrom(...placesIn(notice).slice(1)),
        by: change,
      }),
    );
    fc.assert(
      fc.property(anyNotice, ({ notice, carry, path, by }) => {
        const { content } = theOnly(carry(replaced(notice, path, by)));
        if (content instanceof Fault) {
          expect(content.message).toMatch(/^event\.malformed: reading .{1,120}: expected .+, got /);
          return;
        }
        const kinds = [kindOf(theOnly(notice))];
        expect(deciding.test(written(path)) ? [...kinds, "unrelated"] : kinds).toContain(
          content.kind,
        );
      }),
      { numRuns: 1500 },
    );
  });

  it("around its notice is read as before or is malformed", () => {
    const anyEvent = fc.constantFrom(...carried).chain(({ notice, carry }) =>
      fc.record({
        kind: fc.constant(kindOf(theOnly(notice))),
        event: fc.constant(carry(notice)),
        path: fc.constantFrom(...placesIn(carry(notice))),
        by: change.filter((value) => value !== absent),
      }),
    );
    fc.assert(
      fc.property(anyEvent, ({ kind, event, path, by }) => {
        for (const { content } of delivered(replaced(event, path, by)))
          if (content instanceof Fault) expect(content.code).toBe("event.malformed");
          else expect([kind, "unrelated"]).toContain(content.kind);
      }),
      { numRuns: 1000 },
    );
  });

  it("into anything at all is malformed, and never an exception", () => {
    fc.assert(
      fc.property(fc.anything(), (event) => {
        for (const { content } of delivered(event)) expect(content).toBeInstanceOf(Fault);
      }),
    );
  });
});
