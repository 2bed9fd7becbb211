import type { Taint } from "../drain/node.ts";

// A taint that ends so stands for all keys with what is before it.
const anyEnding = "*";

/** The keys of a node's taints that it must lose before it counts as ready. */
export const startupTaintsOn = (
  { taints }: { readonly taints: readonly Pick<Taint, "key">[] },
  startupTaints: readonly string[],
): readonly string[] =>
  taints.map(({ key }) => key).filter((key) => startupTaints.some((one) => isMeant(key, one)));

const isMeant = (key: string, startupTaint: string): boolean =>
  startupTaint.endsWith(anyEnding)
    ? key.startsWith(startupTaint.slice(0, -anyEnding.length))
    : key === startupTaint;
