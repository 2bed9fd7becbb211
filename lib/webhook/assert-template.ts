import { placeholders, wrongPlaceholders } from "../../lambda/webhook/template.ts";
import { Refusal } from "../refusal.ts";

/** The format of a webhook's messages. */
export interface MessageForm {
  readonly format: "json" | "slack" | "teams";
  /** `undefined` if there is none. */
  readonly template: unknown;
}

/** A wrong value in a webhook's template, and its path. */
export interface WrongPlace {
  readonly path: readonly (number | string)[];
  readonly expected: string;
  readonly got: unknown;
}

// All variables of an environment together may have 4 kB.
const mostBytes = 2000;

/** Finds what is wrong in the template of a webhook's messages. */
export function wrongInTemplate({ format, template }: MessageForm): readonly WrongPlace[] {
  if (template === undefined) return [];
  if (format !== "json")
    return [{ path: [], expected: 'none, unless the format is "json"', got: template }];
  const bytes = Buffer.byteLength(JSON.stringify(template));
  if (bytes > mostBytes)
    return [{ path: [], expected: `at most ${mostBytes} bytes of JSON`, got: bytes }];
  const known = placeholders.map((name) => `{{${name}}}`).join(", ");
  return wrongPlaceholders(template).map(({ path, found }) => ({
    path,
    expected: `a placeholder among ${known}`,
    got: found,
  }));
}

/** Refuses a template with an unknown placeholder. */
export function assertTemplate(form: MessageForm): void {
  const [wrong] = wrongInTemplate(form);
  if (wrong === undefined) return;
  const place = ["webhook", "template", ...wrong.path].join(".");
  throw new Refusal(`${place}: expected ${wrong.expected}, got ${JSON.stringify(wrong.got)}`);
}
