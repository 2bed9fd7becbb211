declare const instantBrand: unique symbol;
declare const durationBrand: unique symbol;

/** A point in time, in milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number & { readonly [instantBrand]: true };

/** A length of time, in milliseconds; negative when it goes back into the past. */
export type Duration = number & { readonly [durationBrand]: true };

/** Reads milliseconds since the epoch as a point in time. */
export const instant = (milliseconds: number): Instant => milliseconds as Instant;

/** A point in time that never comes. */
export const never: Instant = instant(Number.MAX_SAFE_INTEGER);

export const milliseconds = (count: number): Duration => count as Duration;

export const seconds = (count: number): Duration => milliseconds(count * 1000);

export const minutes = (count: number): Duration => seconds(count * 60);

export const hours = (count: number): Duration => minutes(count * 60);

/** The point in time that lies a duration after another. */
export const later = (from: Instant, by: Duration): Instant => instant(from + by);

/** The time from one point to another; negative when the second comes first. */
export const between = (from: Instant, to: Instant): Duration => milliseconds(to - from);

/** The earliest of some points in time. */
export const earliest = (...instants: readonly [Instant, ...Instant[]]): Instant =>
  instant(Math.min(...instants));

/** The latest of some points in time. */
export const latest = (...instants: readonly [Instant, ...Instant[]]): Instant =>
  instant(Math.max(...instants));

export const shortest = (...durations: readonly [Duration, ...Duration[]]): Duration =>
  milliseconds(Math.min(...durations));

export const longest = (...durations: readonly [Duration, ...Duration[]]): Duration =>
  milliseconds(Math.max(...durations));

/** A duration in whole seconds, rounded down, as wire formats count it. */
export const wholeSeconds = (duration: Duration): number => Math.floor(duration / 1000);

// The years with four digits. Others write later times onto nodes, and nobody could write what lies some minutes after them.
const [firstTime, lastTime] = [-62_167_219_200_000, 253_402_300_799_999];

/** Reads a timestamp such as `2026-11-20T10:00:00Z`; `undefined` when the text is no timestamp of the years 0 to 9999. */
export function tryInstantOf(text: string): Instant | undefined {
  // biome-ignore lint/style/noRestrictedGlobals: reading a given text does not read the clock
  const at = Date.parse(text);
  return at >= firstTime && at <= lastTime ? instant(at) : undefined;
}

// The clocks of AWS, of a control plane and of two processes differ by less.
const aheadAtMost = minutes(1);

/**
 * A time that others have written, as it counts now; one that is yet to come counts as another time. Anybody may write one,
 * and what waits for it, or compares later times with it, would wait for ever.
 */
export const unlessAhead = (at: Instant, now: Instant, otherwise = instant(0)): Instant =>
  at <= later(now, aheadAtMost) ? at : otherwise;

/** Writes a point in time as a timestamp in UTC. */
export function timestamp(at: Instant): string {
  // biome-ignore lint/style/noRestrictedGlobals: writing a given instant does not read the clock
  return new Date(at).toISOString();
}

/** A timestamp for people, in whole seconds. */
export const inSeconds = (at: string): string => at.replace(/\.\d+Z$/, "Z");

const units: Readonly<Partial<Record<string, number>>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

// Others write 256 kB into an annotation of a pod, and a drain reads it at each change.
const longestDuration = 100;

/** Reads a duration as Go writes it, such as `1h30m`; `undefined` when the text is no duration. */
export function tryDurationOf(text: string): Duration | undefined {
  if (text.length > longestDuration) return undefined;
  const [, sign = "", parts = ""] =
    /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|ms|s|m|h))+)$/.exec(text) ?? [];
  if (parts === "") return undefined;
  const length = [...parts.matchAll(/([\d.]+)(ns|us|\u00b5s|ms|s|m|h)/g)]
    .map(([, count, unit = ""]) => Number(count) * (units[unit] ?? 0))
    .reduce((sum, part) => sum + part, 0);
  return milliseconds(sign === "-" ? -length : length);
}

/** Writes a duration for people: the two largest units that are not zero. */
export function spoken(duration: Duration): string {
  const total = Math.max(0, Math.round(duration / 1000));
  const parts = [
    [Math.floor(total / 3600), "h"],
    [Math.floor(total / 60) % 60, "min"],
    [total % 60, "s"],
  ] as const;
  const said = parts.filter(([count]) => count > 0).slice(0, 2);
  return said.length === 0 ? "0 s" : said.map(([count, unit]) => `${count} ${unit}`).join(" ");
}
