import type { LabelRequirement } from "./label-selector.ts";
import { badRequest } from "./refusals.ts";

const tokenPattern = /\s*(==|!=|[=!(),<>]|[^\s=!(),<>]+)/y;
const symbol = /^(==|!=|[=!(),<>])$/;
const operators: Readonly<Record<string, string>> = {
  "=": "In",
  "==": "In",
  "!=": "NotIn",
  in: "In",
  notin: "NotIn",
  ">": "Gt",
  "<": "Lt",
};

/** Reads a selector from left to right; the end reads as an empty token, as in the real parser. */
class Reader {
  readonly #tokens: string[];

  constructor(text: string) {
    this.#tokens = [...text.trimEnd().matchAll(new RegExp(tokenPattern, "gy"))].map(
      ([, token = ""]) => token,
    );
  }

  get next(): string {
    return this.#tokens[0] ?? "";
  }

  take(): string {
    return this.#tokens.shift() ?? "";
  }

  get nextIsName(): boolean {
    return this.next !== "" && !symbol.test(this.next);
  }
}

const unreadable = (why: string) => badRequest(`unable to parse requirement: ${why}`);

function readList(reader: Reader): readonly string[] {
  const open = reader.take();
  if (open !== "(") throw unreadable(`found '${open}' expected: '('`);
  const values: string[] = [];
  for (;;) {
    values.push(reader.nextIsName ? reader.take() : "");
    const separator = reader.take();
    if (separator === ")") return values;
    if (separator !== ",") throw unreadable(`found '${separator}', expected: ',' or ')'`);
  }
}

function readRequirement(reader: Reader): LabelRequirement {
  if (reader.next === "!") {
    reader.take();
    return { key: reader.take(), operator: "DoesNotExist" };
  }
  const key = reader.take();
  if (reader.next === "" || reader.next === ",") return { key, operator: "Exists" };
  const sign = reader.take();
  const operator = operators[sign];
  if (operator === undefined) {
    throw unreadable(`found '${sign}', expected: in, notin, =, ==, !=, gt, lt`);
  }
  if (sign === "in" || sign === "notin") return { key, operator, values: readList(reader) };
  return { key, operator, values: [reader.nextIsName ? reader.take() : ""] };
}

function assertBegins(reader: Reader, position: "first" | "later"): void {
  if (reader.nextIsName || reader.next === "!") return;
  const expected =
    position === "first" ? "!, identifier, or 'end of string'" : "identifier after ','";
  throw badRequest(`found '${reader.next}', expected: ${expected}`);
}

/** Takes a separator; says whether another requirement follows. */
function goesOn(reader: Reader): boolean {
  const separator = reader.take();
  if (separator === "" || separator === ",") return separator === ",";
  throw badRequest(`found '${separator}', expected: ',' or 'end of string'`);
}

/** Reads the `labelSelector` of a request, and refuses what the API server refuses, in its words. */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  const reader = new Reader(text);
  const requirements: LabelRequirement[] = [];
  if (reader.next === "") return requirements;
  do {
    assertBegins(reader, requirements.length === 0 ? "first" : "later");
    requirements.push(readRequirement(reader));
  } while (goesOn(reader));
  return requirements;
}
