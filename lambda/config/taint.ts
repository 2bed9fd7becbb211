import type { Taint } from "../drain/node.ts";
import { type OwnTaint, readOwnTaint } from "../drain/own-taint.ts";
import type { TextReader } from "./text-reader.ts";

/** Reads a taint written as `key=value:effect`; an empty text is no taint. A refusal names `example`. */
export const taintLike =
  (example: string): TextReader<readonly Taint[]> =>
  (text) => {
    const own = readOwnTaint(text);
    return own.kind === "read"
      ? { kind: "read", value: own.taints }
      : { kind: "refused", expected: `${expected[own.kind]} such as ${example}` };
  };

const expected: Readonly<Record<Exclude<OwnTaint["kind"], "read">, string>> = {
  "no-taint": "empty, or a taint",
  "others-key": "a taint with a key of your own,",
  evicts: "a taint that evicts no pod, because NoExecute asks no budget,",
};
