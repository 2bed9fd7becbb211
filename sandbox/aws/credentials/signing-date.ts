import { type Instant, instant } from "../../../lambda/base/time.ts";

const form = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/**
 * Reads a date in the form of signatures, `20260323T101500Z`; undefined if the text is not one.
 * Smithy only writes this form.
 */
export function tryReadSigningDate(text: string): Instant | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
  const time = Date.parse(iso);
  const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(iso.slice(0, 19));
  return exists ? instant(time) : undefined;
}

/** Writes a point in time in the form of signatures. */
export const signingDate = (at: Instant): string =>
  new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, "");
