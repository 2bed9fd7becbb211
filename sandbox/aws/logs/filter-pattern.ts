import { AwsError } from "../aws-error.ts";

const equality = /^\(?\$\.(\w+) = "([^"]*)"\)?$/;

/**
 * Whether a line passes a filter pattern: none, or one that wants fields of a JSON line to have one of some values.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
export function passesPattern(line: string, pattern: string): boolean {
  if (pattern === "") return true;
  const inside = /^\{ (.*) \}$/.exec(pattern)?.[1] ?? "";
  return inside.split(" || ").some((term) => holds(term, pattern, line));
}

function holds(term: string, pattern: string, line: string): boolean {
  const [, field = "", value = ""] = equality.exec(term) ?? [];
  if (field === "")
    throw new AwsError("InvalidParameterException", `the sandbox knows no pattern ${pattern}`);
  return fieldOf(line, field) === value;
}

function fieldOf(line: string, field: string): unknown {
  try {
    const read: unknown = JSON.parse(line);
    return Object(read)[field];
  } catch {
    return undefined;
  }
}
