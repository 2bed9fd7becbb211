/** Labels or annotations: the value of every key that is there. */
export type Labels = Readonly<Partial<Record<string, string>>>;

/** The form of a name in labels and taints. */
export const labelName = "[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";

/** The form of a taint's key: a name, which may follow a DNS name and a slash. */
export const taintKey = `(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?${labelName}`;
