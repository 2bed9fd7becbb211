/** Where the target of an import is only known when the program runs. */
export const computed = "(computed)";

const statement = /^\s*(?:import|export)\b[^"'`;]*?\bfrom\s*["']([^"']+)["']/gm;
const sideEffect = /^\s*import\s*["']([^"']+)["']/gm;
const call = /\b(?:import|require|require\.resolve)\s*\(\s*(?:["'`]([^"'`$]+)["'`]\s*\))?/g;

/** The targets of all imports in a text, of types and values, as they are written. */
export function importsOf(text: string): readonly string[] {
  const found = [statement, sideEffect, call].flatMap((form) => [...text.matchAll(form)]);
  return found.map(([, target]) => target ?? computed);
}
