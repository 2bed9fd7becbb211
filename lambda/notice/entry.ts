/** An entry of the journal, of any subject. No two subjects have entries of the same kind. */
export interface AnyEntry {
  readonly kind: string;
}

/** Finds the entries of some kinds of a subject among those of all. */
export const ofKinds =
  <E extends AnyEntry>() =>
  <K extends E["kind"]>(...kinds: readonly K[]) =>
  <T extends AnyEntry>(entry: T): entry is Extract<E, { readonly kind: K }> & T =>
    kinds.some((kind) => kind === entry.kind);
