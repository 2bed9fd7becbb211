/**
 * The most reads of one command at the same time: people wait for them, and the cluster serves
 * others too.
 */
export const readsAtOnce = 10;
