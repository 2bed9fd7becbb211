/** The fault of a call. */
export type InjectedFault =
  | "hang"
  | "reset"
  | "throttle"
  | { readonly status: number; readonly code: string; readonly message: string };

/** The moment of a fault: before or after the call takes effect. */
export type FaultMoment = "before-effect" | "after-effect";

/** Which calls go wrong. */
export interface FaultTarget {
  /** The signing name, such as `autoscaling`. */
  readonly service: string;
  readonly action: string;
}

/** A fault that hits the current call. */
export interface DueFault {
  readonly fault: InjectedFault;
  readonly moment: FaultMoment;
}

interface ScheduledFault extends FaultTarget, DueFault {
  left: number;
}

/** The faults planned for the endpoint. */
export class Faults {
  readonly #plans: ScheduledFault[] = [];

  /** Makes the next calls of an action go wrong. */
  failNext(
    target: FaultTarget,
    fault: InjectedFault,
    options: { readonly times?: number; readonly moment?: FaultMoment } = {},
  ): void {
    const { times = 1, moment = "before-effect" } = options;
    this.#plans.push({ ...target, fault, moment, left: times });
  }

  /** Takes the fault planned for a call and counts it as used; undefined if none is planned. */
  take({ service, action }: FaultTarget): DueFault | undefined {
    const plan = this.#plans.find(
      (other) => other.left > 0 && other.service === service && other.action === action,
    );
    if (plan !== undefined) plan.left -= 1;
    return plan;
  }
}
