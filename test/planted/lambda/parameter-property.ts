// @ts-nocheck
export class Queue {
  constructor(readonly url: string) {}
}
