/** Pods of 300 kB each, of which thirty are more than a namespace may have on a node. */
export const largePods = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `large-${at + 1}`,
    annotations: { "example.com/padding": "x".repeat(300_000) },
  }));
