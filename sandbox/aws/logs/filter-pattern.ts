import { tryJson } from "../../../lambda/base/try-json.ts";
/** A field of a JSON line, and the value that it must have. */
export interface FieldPattern {
  readonly field: string;
  readonly value: string;
}

const equality = /^\$\.(\w+) = "([^"]*)"$/;

/**
 * Reads a filter pattern that wants one of some fields to have a value, such as `{ $.kind = "fault" || $.kind = "warning" }`.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
export function tryFields(pattern: string): readonly FieldPattern[] | undefined {
  const [, inside = ""] = /^\{ (.*) \}$/.exec(pattern) ?? [];
  const terms = inside.split(" || ");
  const fields = terms.flatMap((term) => {
    const [, field, value] = equality.exec(term) ?? [];
    return field === undefined || value === undefined ? [] : [{ field, value }];
  });
  return fields.length === terms.length ? fields : undefined;
}

/** Says of a line whether a filter pattern of such fields takes it; throws for another pattern. */
export function takenBy(pattern: string): (line: string) => boolean {
  const fields = tryFields(pattern);
  if (fields === undefined) throw new Error(`the sandbox cannot read the pattern ${pattern}`);
  return (line) => fields.some((field) => holds(field, line));
}

/** Whether a line is JSON in which a field has a value. */
export const holds = ({ field, value }: FieldPattern, line: string): boolean =>
  Object(tryJson(line))[field] === value;
