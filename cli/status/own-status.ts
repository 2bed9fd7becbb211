import { merged } from "../../lib/merged.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import * as subjects from "../subjects.ts";
import type { Line } from "../terminal/lines.ts";
import type { Gap } from "./gap-schema.ts";
import type { OwnFacts, OwnSite } from "./own-facts.ts";
import type { ClusterStatus } from "./status-schema.ts";

// The subjects' parts of a status, besides drains.

const parts = await Promise.all(Object.values(subjects).map(({ inStatus }) => inStatus()));

type Part = (typeof parts)[number];
type OwnRead = Awaited<ReturnType<Part["read"]>>;

/** The reads of a status that belong to one subject. */
export const ownReads = (site: OwnSite): Promise<readonly OwnRead[]> =>
  Promise.all(parts.map(({ read }) => read(site)));

/** The part of a status that belongs to each subject. */
export const ownStatus = (reads: readonly OwnRead[], facts: OwnFacts) =>
  merged(reads.map(({ fields }) => fields(facts)));

/** The facts of each subject that a status could not read. */
export const ownGaps = (reads: readonly OwnRead[], its: DeploymentParts): readonly Gap[] =>
  reads.flatMap(({ gaps }) => gaps(its));

/** The lines of a status about each subject, for people. */
export const ownStatusLines = (status: ClusterStatus): readonly Line[] =>
  parts.flatMap(({ lines }) => lines(status));

/** The force of drains for a subject's own reason, by the tags of the group. */
export const forcesByGroup = merged(parts.map(({ forces }) => forces));
