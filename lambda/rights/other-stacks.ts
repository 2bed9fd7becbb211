/** The id of the stack in a claim; a claim by hand has none. */
const stackIn = (claim: string): string =>
  /^arn:aws[a-z-]*:cloudformation:[\w:-]{1,64}:stack\/[\w-]{1,128}\/[\w-]{1,64}(?=\/)/.exec(
    claim,
  )?.[0] ?? "";

/**
 * The other stacks whose claims an object has. A stack that has a claim too has been let in before, and is asked no more:
 * neither its updates nor the ways back fail for what others have claimed since.
 */
export function otherStacks(claims: readonly string[], own: string): readonly string[] {
  const stacks = new Set(claims.map(stackIn));
  stacks.delete("");
  return stacks.delete(stackIn(own)) ? [] : [...stacks];
}
