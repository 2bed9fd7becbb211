const { PROPERTY_RUNS } = process.env;

/**
 * The number of runs of a property: its own default, or the environment's number for all
 * properties.
 */
export const propertyRuns = (usual: number): number => Number(PROPERTY_RUNS ?? usual);
