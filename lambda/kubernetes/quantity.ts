const suffixes: Readonly<Record<string, number>> = {
  "": 1,
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

/**
 * Reads an amount of a resource: CPUs in thousandths, everything else in whole units. What cannot be read counts as nothing.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function amountOf(resource: string, quantity: string): number {
  const [, number = "", suffix = ""] = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)(\D*)$/.exec(quantity) ?? [];
  const amount = Number(number) * (suffixes[suffix] ?? 0);
  return Math.max(0, Math.ceil((resource === "cpu" ? amount * 1000 : amount) - 1e-6));
}
