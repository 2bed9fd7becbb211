/** The README's command to try a drain; test/try-out.test.ts runs it as a reader does, and no step of CI. */
export const replayCommand = "npx eks-node-lifecycle replay events/demo-ng-terminate.json";
