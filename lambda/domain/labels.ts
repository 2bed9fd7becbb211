/** Labels or annotations: a text for every key, if it is there. */
export type Labels = Readonly<Partial<Record<string, string>>>;

/** The form of a name, as labels and taints have it. */
export const labelName = "[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";

/** The form of a taint's key: a name, perhaps after a DNS name. */
export const taintKey = `(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?${labelName}`;

/** The key of a taint that is written as `key=value:effect`; empty for none. */
export const keyOfTaint = (taint: string): string => taint.replace(/[=:].*$/s, "");
