const found: string[] = [];

/** Remembers a secret that a function has logged. */
export const foundSecret = (what: string): void => {
  found.push(what);
};

/** Returns what was found so far, and forgets it. */
export const takeLoggedSecrets = (): readonly string[] => found.splice(0);
