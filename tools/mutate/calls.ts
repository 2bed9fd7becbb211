/** One run of the tests that may see a change. */
export interface Call {
  readonly id: number;
  /** The change; without it, the code as it is. */
  readonly mutant?: string;
  /** The tests to run, by name; without it, all. */
  readonly tests?: readonly string[];
  /** How often the code of the change may run before it counts as a loop without an end. */
  readonly hitLimit?: number;
  /** The time of the processor after which a test with the change counts as such a loop, in milliseconds. */
  readonly limit?: number;
}

/** What a test has come to. */
export interface Seen {
  readonly id: string;
  readonly fileName: string;
  readonly failure?: string;
  /** Time of the processor, which other processes do not lengthen. */
  readonly millis: number;
}

/** What a run has come to: up to the first test that fails, where there is a change. */
export interface Answer {
  readonly id: number;
  readonly seen: readonly Seen[];
  /** Which test runs which places; Stryker's own form. */
  readonly coverage: unknown;
  readonly looped: boolean;
  /** True if a test that failed also fails without the change: what the change left behind is to blame. */
  readonly tainted: boolean;
}

/** The name of the channel between Stryker's process and the thread that holds the tests. */
export const channelName = "mutate";
