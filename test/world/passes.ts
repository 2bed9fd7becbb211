import { AsyncLocalStorage } from "node:async_hooks";
import type { Notice } from "../../lambda/notices.ts";
import { indexOf, type MakesWork } from "./world-options.ts";

/** One pass of the function over a notice. */
export interface WorldPass {
  readonly id: symbol;
  /** The process of the function that it runs in; one may run several passes at once. */
  readonly process: symbol;
  /** The number of the instance that the notice is about; 0 if it is about none. */
  readonly index: number;
}

const passes = new AsyncLocalStorage<WorldPass>();

/** The pass that causes what happens now, or `none`. */
export const passNow = (): WorldPass | "none" => passes.getStore() ?? "none";

/**
 * Does the same work, and lets the world know which pass causes what. One process may work on
 * several drains at once.
 */
export const inPasses =
  (makes: MakesWork): MakesWork =>
  (config, ports) => {
    const work = makes(config, ports);
    const process = Symbol("process");
    return {
      ...work,
      run: (received, ...rest) => {
        const pass = { id: Symbol("pass"), process, index: indexIn(received.content) };
        return passes.run(pass, () => work.run(received, ...rest));
      },
    };
  };

const indexIn = (notice: Notice): number =>
  notice.kind === "terminating" || notice.kind === "launching"
    ? indexOf(notice.action.instance)
    : 0;
