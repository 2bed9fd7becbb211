import {
  type Alias,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { type Doubt, offsetOf } from "./doubt.ts";
import { isFields } from "./entry.ts";

/** The value of an anchored node, and how many nodes the authenticator decodes for it. */
interface Anchored {
  value: unknown;
  decoded: number | "not yet known";
}

/**
 * The values of the nodes of a document, with aliases resolved and merge keys merged, and the places where the
 * authenticator would resolve or merge differently.
 * @see https://github.com/yaml/go-yaml/blob/v2.4.3/decode.go
 */
export class Values {
  readonly doubts: Doubt[] = [];
  readonly #anchors = new Map<string, Anchored>();
  #decoded = 1; // the document itself
  #byAliases = 0;

  /** The values of the items of a document's list. */
  ofList(list: YAMLSeq): readonly unknown[] {
    this.#decoded += 1;
    this.#anchored(list);
    return list.items.map((item) => this.#of(item));
  }

  #of(node: unknown): unknown {
    if (isAlias(node)) return this.#resolved(node);
    const before = this.#decoded;
    this.#decoded += 1;
    const anchored = this.#anchored(node);
    anchored.value = this.#contents(node);
    anchored.decoded = this.#decoded - before;
    return anchored.value;
  }

  #anchored(node: unknown): Anchored {
    const anchored: Anchored = { value: null, decoded: "not yet known" };
    const anchor = isScalar(node) || isCollection(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, anchored);
    return anchored;
  }

  #contents(node: unknown): unknown {
    if (isSeq(node)) return node.items.map((item) => this.#of(item));
    if (isMap(node)) return this.#fields(node);
    return isScalar(node) ? node.value : null;
  }

  #fields(map: YAMLMap): unknown {
    const fields = new Map<string, unknown>();
    for (const { key, value } of map.items) {
      if (isScalar(key) && typeof key.value === "symbol") this.#merge(value, fields);
      else fields.set(String(this.#of(key)), this.#of(value));
    }
    return Object.fromEntries(fields);
  }

  /** Merges maps into fields; the first map wins. Readers disagree on whether it also wins over a key before it. */
  #merge(value: unknown, fields: Map<string, unknown>): void {
    const sources = (isSeq(value) ? value.items : [value]).map((source) => this.#of(source));
    if (!sources.every(isFields)) this.#doubt(value, "a merge key for something that is no map");
    const merged = new Map(sources.filter(isFields).toReversed().flatMap(Object.entries));
    if ([...merged.keys()].some((name) => fields.has(name)))
      this.#doubt(value, "a merge key after a key that it contains too");
    for (const [name, one] of merged) fields.set(name, one);
  }

  #resolved(alias: Alias): unknown {
    const anchored = this.#anchors.get(alias.source);
    if (anchored === undefined) return this.#doubt(alias, "an alias of nothing before it");
    if (anchored.decoded === "not yet known") return this.#doubt(alias, "an alias of itself");
    this.#decoded += 1 + anchored.decoded;
    this.#byAliases += anchored.decoded;
    if (isTooMuch(this.#byAliases, this.#decoded)) this.#doubt(alias, "too many aliases");
    return anchored.value;
  }

  #doubt(node: unknown, what: string): null {
    this.doubts.push({ offset: offsetOf(node), what });
    return null;
  }
}

const [few, many] = [400_000, 4_000_000];

/** Whether the authenticator refuses a text because most of it comes from aliases. */
function isTooMuch(byAliases: number, decoded: number): boolean {
  const growth = Math.min(Math.max(decoded - few, 0) / (many - few), 1);
  return byAliases > 100 && decoded > 1000 && byAliases / decoded > 0.99 - 0.89 * growth;
}
