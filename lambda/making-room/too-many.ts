import { Fault } from "../base/fault.ts";

/** Somebody has more objects in a namespace than are read there. It is a reason why its workloads get no room: a fault would call people. */
export class TooMany extends Fault {
  constructor(message: string) {
    super("cluster.refused", message);
  }
}
