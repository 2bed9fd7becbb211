import type { Variables } from "../../lambda/config/variables.ts";
import { merged } from "../merged.ts";
import * as parts from "./own-parts.ts";

type OwnPart = (typeof parts)[keyof typeof parts];

export const ownParts = Object.values<OwnPart>(parts);

/** The settings of functions other than the node function, under their names in constructs and cluster files. */
export const ownSettings = merged(ownParts.map(({ settings }) => settings));

const readers: readonly ((variables: Variables) => unknown)[] = ownParts.map(({ parse }) => parse);

/** Reads the variables as these functions do when they start. */
export function parseOwn(variables: Variables): void {
  for (const read of readers) read(variables);
}
