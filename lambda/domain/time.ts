declare const instantBrand: unique symbol;
declare const durationBrand: unique symbol;

/** A point in time, in milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number & { readonly [instantBrand]: true };

/** A length of time, in milliseconds; negative when the past is meant. */
export type Duration = number & { readonly [durationBrand]: true };

/** Reads milliseconds since the epoch as a point in time. */
export const instant = (milliseconds: number): Instant => milliseconds as Instant;

/** A number of milliseconds, as a duration. */
export const milliseconds = (count: number): Duration => count as Duration;

/** A number of seconds, as a duration. */
export const seconds = (count: number): Duration => milliseconds(count * 1000);

/** A number of minutes, as a duration. */
export const minutes = (count: number): Duration => seconds(count * 60);

/** A number of hours, as a duration. */
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

/** The shortest of some durations. */
export const shortest = (...durations: readonly [Duration, ...Duration[]]): Duration =>
  milliseconds(Math.min(...durations));

/** The longest of some durations. */
export const longest = (...durations: readonly [Duration, ...Duration[]]): Duration =>
  milliseconds(Math.max(...durations));

/** A duration in whole seconds, rounded down, as wire formats count it. */
export const wholeSeconds = (duration: Duration): number => Math.floor(duration / 1000);

/** Reads a timestamp such as `2026-11-20T10:00:00Z`; `undefined` when it is none. */
export function tryInstantOf(text: string): Instant | undefined {
  // biome-ignore lint/style/noRestrictedGlobals: reading a given text asks nobody for the time
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : instant(at);
}

/** Writes a point in time as a timestamp in UTC. */
export function timestamp(at: Instant): string {
  // biome-ignore lint/style/noRestrictedGlobals: writing a given instant asks nobody for the time
  return new Date(at).toISOString();
}
