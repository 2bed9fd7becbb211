import { partsOf } from "../base/parts.ts";
import { sideBySide } from "../base/side-by-side.ts";

// An event may name thousands of instances, and AWS throttles an account for all that it calls.
const atOnce = 4;

/** Asks AWS about many, as many in each request as it takes, and a few requests at a time. */
export async function inParts<T, R>(
  all: readonly T[],
  most: number,
  request: (part: T[]) => Promise<readonly R[]>,
): Promise<readonly R[]> {
  return (await sideBySide(partsOf(all, most), atOnce, request)).flat();
}
