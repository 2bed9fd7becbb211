// @ts-nocheck
export enum Outcome {
  Drained = "drained",
}
