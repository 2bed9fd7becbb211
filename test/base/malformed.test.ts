import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { described, malformed } from "../../lambda/base/malformed.ts";
import { anyCharacter } from "./any-character.ts";

describe("a value from outside", () => {
  it.each<readonly [string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["true", true],
    ["42", 42],
    ["1e+300", 1e300],
    ["Infinity", JSON.parse("1e999")],
    ['""', ""],
    ['"i-12"', "i-12"],
    ['"two\\nlines"', "two\nlines"],
    ['"\\u001b[31mred"', "\u001b[31mred"],
    ['"\\ud800"', "\ud800"],
    ['"\\u007f\\u0085\\u009b31m"', "\u007f\u0085\u009b31m"],
    ['"\\u2028\\u202e\\ufeff\\udb40\\udc01"', "\u2028\u202e\ufeff\u{e0001}"],
    ['"\\ufffe\\uffff"', "\ufffe\uffff"],
    ['"né 🌊 `\'"', "né 🌊 `'"],
    ["an empty list", []],
    ["a list", [1]],
    ["an empty object", {}],
    ['an object of "a, b"', { a: 1, b: 2 }],
    ['an object of "__proto__"', JSON.parse('{"__proto__": 1}')],
    [`"${"x".repeat(60)}"`, "x".repeat(60)],
    [`"${"x".repeat(60)}"… (262144 characters)`, "x".repeat(262_144)],
  ])("is described as %s", (words, value) => {
    expect(described(value)).toBe(words);
  });

  it("is described in one short line of visible characters, whatever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3, stringUnit: anyCharacter }), (value) => {
        expect(described(value)).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,420}$/u);
      }),
    );
  });
});

describe("a malformed event", () => {
  it("is a fault that names the place, what was expected there and what was found", () => {
    const fault = malformed("Records[0].body", "JSON", "hello");
    expect(fault.code).toBe("event.malformed");
    expect(fault.retryable).toBe(false);
    expect(fault.message).toBe(
      'event.malformed: reading Records[0].body: expected JSON, got "hello"',
    );
  });

  it("keeps its cause", () => {
    const cause = new SyntaxError("at position 7");
    expect(malformed("", "JSON", "", { cause }).cause).toBe(cause);
  });
});
