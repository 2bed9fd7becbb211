/** Amounts of resources by name, in whole units: thousandths of a CPU, bytes of memory, numbers of pods or devices. */
export type Resources = Readonly<Record<string, number>>;

/** Two amounts together. */
export const plus = (a: Resources, b: Resources): Resources => total([a, b]);

/** Many amounts together, in one go: others may ask for thousands, each of another resource. */
export function total(all: Iterable<Resources>): Resources {
  const sums = new Map<string, number>();
  for (const one of all) addTo(sums, one);
  return Object.fromEntries(sums);
}

/** The least of some amounts. */
export const leastOf = ([first = {}, ...others]: readonly Resources[]): Resources =>
  Object.fromEntries(
    Object.entries(first).map(([name, amount]) => [
      name,
      Math.min(amount, ...others.map((one) => one[name] ?? 0)),
    ]),
  );

/** Adds an amount to sums. */
export function addTo(sums: Map<string, number>, amounts: Resources): void {
  for (const [name, amount] of Object.entries(amounts))
    sums.set(name, (sums.get(name) ?? 0) + amount);
}

/** The resources of which more is asked for than is free. */
export const shortOf = (asked: Resources, free: Resources): readonly string[] =>
  Object.entries(asked)
    .filter(([name, amount]) => amount > 0 && amount > (free[name] ?? 0))
    .map(([name]) => name);
