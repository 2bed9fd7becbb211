import type { PodForecast } from "../../lambda/forecast/forecast.ts";
import { workloadOf } from "../../lambda/forecast/workload.ts";

/** Pods of one workload of which the same is to be said. */
export interface Row {
  readonly workload: string;
  readonly pods: readonly string[];
  readonly texts: readonly string[];
}

/** Puts pods of one workload with the same text into one row. Pods without a text have no row. */
export function rowsOf(
  pods: readonly PodForecast[],
  textsOf: (pod: PodForecast) => readonly string[],
): readonly Row[] {
  const said = pods.flatMap((one) => {
    const texts = textsOf(one).filter((text) => text !== "");
    const { pod } = one.resident;
    return texts.length === 0 ? [] : [{ workload: workloadOf(pod), pod: pod.name, texts }];
  });
  const groups = Map.groupBy(said, ({ workload, texts }) => JSON.stringify([workload, texts]));
  return [...groups.values()].flatMap((same) =>
    same.slice(0, 1).map(({ workload, texts }) => ({
      workload,
      texts,
      pods: same.map(({ pod }) => pod),
    })),
  );
}
