// @ts-nocheck
export const nameOf = (pod: any): string => pod.metadata.name;
