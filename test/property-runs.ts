const { PROPERTY_RUNS } = process.env;

/** How often a property is tried: as often as is usual for it, or as the environment says for all. */
export const propertyRuns = (usual: number): number => Number(PROPERTY_RUNS ?? usual);
