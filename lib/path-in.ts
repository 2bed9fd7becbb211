import { Stack } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/**
 * The way to a construct from a stack on, which says nothing about what the stack stands in. A construct of another stack has
 * that stack's name before it.
 */
export const pathIn = (stack: Stack, construct: IConstruct): string =>
  [...wayTo(Stack.of(construct), stack), ...between(Stack.of(construct), construct)].join(":");

/** The way from one stack to another, which may be nested in it or in a third. */
function wayTo(stack: Stack, from: Stack): readonly string[] {
  if (stack === from) return [];
  const { nestedStackParent: outer } = stack;
  return outer === undefined
    ? [stack.stackName]
    : [...wayTo(outer, from), ...between(outer, stack)];
}

const between = (outer: IConstruct, inner: IConstruct): readonly string[] =>
  inner.node.scopes.slice(outer.node.scopes.length).map(({ node }) => node.id);
