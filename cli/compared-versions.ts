/** Compares two versions number by number. Negative if the first one is older. */
export function comparedVersions(one: string, other: string): number {
  const numbers = (version: string) => version.split(/[.+-]/).slice(0, 3).map(Number);
  const others = numbers(other);
  const [difference = 0] = numbers(one)
    .map((number, at) => number - (others[at] ?? 0))
    .filter((by) => by !== 0);
  return difference;
}
