import { mostClaims, type Pod } from "./pod.ts";

/** A PersistentVolumeClaim that a pod mounts. */
export interface PodClaim {
  readonly namespace: string;
  readonly name: string;
}

type Mounting = Pick<Pod, "claims" | "namespace">;

/** The distinct claims of some pods; of each namespace the first hundred, for an editor may make its pods name any number. */
export const claimsOf = (pods: readonly Mounting[]): readonly PodClaim[] =>
  spacesOf(pods).flatMap(({ namespace, names }) =>
    names.slice(0, mostClaims).map((name) => ({ namespace, name })),
  );

/** The namespaces with more claims than are looked at. */
export const crowdedWithClaims = (pods: readonly Mounting[]): readonly string[] =>
  spacesOf(pods)
    .filter(({ names }) => names.length > mostClaims)
    .map(({ namespace }) => namespace);

const spacesOf = (pods: readonly Mounting[]) =>
  Array.from(
    Map.groupBy(pods, ({ namespace }) => namespace),
    ([namespace, own]) => ({
      namespace,
      names: [...new Set(own.flatMap(({ claims }) => claims))],
    }),
  );

/** A claim as messages name it. */
export const claimTitle = ({ namespace, name }: PodClaim): string => `${namespace}/${name}`;
