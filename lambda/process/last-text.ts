/** Remembers what was found in a text, until there is another text. */
export class LastText<T> {
  #text = "";
  readonly #found = new Map<string, T>();

  recall(text: string, question: string, find: () => T): T {
    if (text !== this.#text) this.#found.clear();
    this.#text = text;
    const known = this.#found.get(question);
    if (known !== undefined) return known;
    const found = find();
    this.#found.set(question, found);
    return found;
  }
}
