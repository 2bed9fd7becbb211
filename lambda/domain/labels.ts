/** Labels or annotations: a text for every key, if it is there. */
export type Labels = Readonly<Partial<Record<string, string>>>;
