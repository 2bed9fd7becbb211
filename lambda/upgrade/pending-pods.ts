/** The pods that wait for a node, as far as they hold an upgrade. */
export interface PendingPods {
  readonly counted: number;
  /** The namespaces that have most of them, in words; empty if there are none. */
  readonly where: string;
  /** Which namespaces have more than count, in words. */
  readonly uncounted: readonly string[];
}

export const noPods: PendingPods = { counted: 0, where: "", uncounted: [] };

/** The pods of one namespace. */
export interface NamespacePods {
  readonly namespace: string;
  /** The number of pods that wait for a node. */
  readonly pending: number;
  /** The number of running pods; 0 if they were not counted. */
  readonly running: number;
}

// Anybody who may write in a few namespaces may have any number of pods there that find no node.
const usualShare = 250;
const perRunningPod = 4;

/** Whether a namespace has so many pods that wait for a node that those that run decide how many of them count. */
export const isExcessive = ({ pending }: Pick<NamespacePods, "pending">): boolean =>
  pending > usualShare;

/** The number of them that counts: a namespace whose pods the upgrade has evicted still has others that run. */
const countedOf = ({ pending, running }: NamespacePods): number =>
  Math.min(pending, Math.max(usualShare, perRunningPod * running));

/** Counts the pods that wait for a node; the namespaces with most of them come first. */
export const pendingIn = (namespaces: readonly NamespacePods[]): PendingPods => ({
  counted: namespaces.reduce((sum, one) => sum + countedOf(one), 0),
  where: namespaces.slice(0, mostNames).map(whereText).join(", "),
  uncounted: namespaces.filter((one) => countedOf(one) < one.pending).map(uncountedText),
});

const mostNames = 3;

const whereText = (one: NamespacePods): string => `${countedOf(one)} of namespace ${one.namespace}`;

const uncountedText = (one: NamespacePods): string =>
  `${one.pending} of namespace ${one.namespace} count as ${countedOf(one)}, because few of its pods run`;
