import * as z from "zod";

const names = z.array(z.string()).optional();

const givenFile = z.looseObject({
  cluster: z.looseObject({ region: z.string().optional(), subnetIds: names }).optional(),
  groups: names,
  groupTag: z.unknown().optional(),
  nodeRoleArns: names,
  launchTemplateIds: names,
});

/** The parts of an existing cluster file that `init` reads. */
export type GivenFile = z.infer<typeof givenFile>;

/** True if a cluster's file can be updated. */
export const isGivenFile = (value: unknown): value is GivenFile =>
  givenFile.safeParse(value).success;
