/** The parts of an object that the interview reads. */
export interface Seen {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly deletionGracePeriodSeconds?: number;
    readonly finalizers?: readonly string[];
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly taints?: readonly object[] };
  readonly status: {
    readonly phase?: string;
    readonly observedGeneration?: number;
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly disruptedPods?: object;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}
