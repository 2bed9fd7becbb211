/** A figure, to a hundredth. */
export const hundredths = (figure: number): number => Math.round(figure * 100) / 100;

/** The median of some figures. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((one, other) => one - other);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
}

/** The median of each figure of some measurements, to a hundredth. */
export function medians<Name extends string>(
  measured: readonly Readonly<Record<Name, number>>[],
): Record<Name, number>;
// TypeScript cannot see that the names are those of the first.
export function medians(measured: readonly Readonly<Record<string, number>>[]) {
  const names = Object.keys(measured[0] ?? {});
  const middle = (name: string): number => median(measured.map((one) => one[name] ?? Number.NaN));
  return Object.fromEntries(names.map((name) => [name, hundredths(middle(name))]));
}

/** The lowest and the highest of some figures; nothing where there is one only. */
const spreadOf = (figures: readonly number[]): string =>
  figures.length < 2 ? "" : `${Math.min(...figures)} to ${Math.max(...figures)}`;

/** The ratio of paired measurements: its median, and the lowest and the highest pair. */
export interface PairedRatio {
  readonly ratio: number;
  /** Such as `0.94 to 1.21`. */
  readonly spread: string;
}

/** Compares measurements that were taken in turn with those of another, each with its own. */
export function pairedRatio(ours: readonly number[], theirs: readonly number[]): PairedRatio {
  const pairs = ours.map((one, at) => hundredths(one / (theirs[at] ?? Number.NaN)));
  return { ratio: hundredths(median(pairs)), spread: spreadOf(pairs) };
}
