export const drained = "drained";
