/** What goes wrong with a call. */
export type InjectedFault =
  | "hang"
  | "reset"
  | "throttle"
  | { readonly status: number; readonly code: string; readonly message: string };

/** Whether the call takes effect all the same. */
export type FaultMoment = "before-effect" | "after-effect";

/** Which calls go wrong. */
export interface FaultTarget {
  /** The signing name, such as `autoscaling`. */
  readonly service: string;
  readonly action: string;
}

/** How often, and when in a call. */
export interface FaultOptions {
  readonly times?: number;
  readonly moment?: FaultMoment;
}

/** A fault that is due. */
export interface DueFault {
  readonly fault: InjectedFault;
  readonly moment: FaultMoment;
}

interface Plan extends FaultTarget, DueFault {
  left: number;
}

/** What is to go wrong at the endpoint. */
export class Faults {
  readonly #plans: Plan[] = [];

  /** Makes the next calls of an action go wrong. */
  failNext(target: FaultTarget, fault: InjectedFault, options: FaultOptions = {}): void {
    const { times = 1, moment = "before-effect" } = options;
    this.#plans.push({ ...target, fault, moment, left: times });
  }

  /** Takes the fault that is due for a call; undefined if it goes well. */
  take({ service, action }: FaultTarget): DueFault | undefined {
    const plan = this.#plans.find(
      (other) => other.left > 0 && other.service === service && other.action === action,
    );
    if (plan !== undefined) plan.left -= 1;
    return plan;
  }
}
