/** The variables of an environment that have a value; what is left out keeps the function's own default. */
export const given = (
  values: readonly (readonly [key: string, value: string | undefined])[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(values.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
