import { Fault } from "../base/fault.ts";

/**
 * What others have in a namespace keeps its workloads from room: too many objects, or a webhook or policy that refuses a
 * surge. It is a reason why they get none: a fault would call people.
 */
export class ByOthers extends Fault {
  constructor(message: string) {
    super("cluster.refused", message);
  }
}
