/** How many reads of one command may be under way at once: people wait for them, and a cluster has others to serve. */
export const readsAtOnce = 10;
