interface Block {
  readonly labels: readonly string[];
  readonly attributes: ReadonlyMap<string, unknown>;
}

/** Reads HCL as far as the page uses it: a block, with texts, lists, maps, references and calls. Throws where it is something else. */
export function readHcl(text: string): Block {
  const words = [
    ...text.matchAll(/"(?:[^"\\]|\\.)*"|[\w.]+(?:\[\d+\][\w.]*)*|[{}[\]()=,]|\S/g),
  ].map(([word]) => word);
  const next = (wanted = /./): string => {
    const word = words.shift() ?? "the end";
    if (!wanted.test(word)) throw new Error(`expected ${wanted}, found ${word}`);
    return word;
  };
  const until = (end: string, item: () => void) => {
    while (words[0] !== end) item();
    next();
  };
  const itemsUntil = (end: string): readonly unknown[] => {
    const items: unknown[] = [];
    until(end, () => {
      items.push(value());
      if (words[0] === ",") next();
    });
    return items;
  };
  const called = (word: string): unknown => {
    if (words[0] !== "(") return { reference: word };
    next();
    return { call: word, items: itemsUntil(")") };
  };
  const value = (): unknown => {
    const word = next(/^(?:"|[\w[{])/);
    if (word.startsWith('"')) return word.slice(1, -1);
    if (word === "{") return attributes();
    return word === "[" ? itemsUntil("]") : called(word);
  };
  const attributes = (): ReadonlyMap<string, unknown> => {
    const all = new Map<string, unknown>();
    until("}", () => {
      const name = next(/^\w+$/);
      if (all.has(name)) throw new Error(`${name} is there twice`);
      next(/^=$/);
      all.set(name, value());
    });
    return all;
  };
  const labels = [next(/^\w+$/)];
  while (words[0] !== "{") labels.push(next(/^"\w+"$/).slice(1, -1));
  next();
  const block = { labels, attributes: attributes() };
  if (words.length > 0) throw new Error(`${words[0]} is after the end`);
  return block;
}
