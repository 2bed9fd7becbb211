export const drained = { ...{ pods: 3, node: "node-1" }, since: 1 };
