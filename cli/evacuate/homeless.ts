import { counted } from "../../lambda/base/counted.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import { limited } from "../../lambda/drain/hold-reason.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { placeWords } from "../../lambda/drain/place-words.ts";
import { podTitle } from "../../lambda/drain/pod.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { CommandFailure } from "../command-failure.ts";
import { ClusterReader } from "../plan/cluster-reader.ts";
import { inTurns } from "../plan/in-turns.ts";
import { Rooms } from "../plan/rooms.ts";
import { isReplaced, surroundings } from "../plan/surroundings.ts";
import type { EvacuationSite, Wish } from "./wish.ts";
import type { ZoneLook } from "./zone-look.ts";

/** Refuses to drain nodes whose pods find no place in the other zones, or only warns of them if they may be Pending. */
export async function assertRoom(
  leaving: readonly Node[],
  { settings, homeless }: Pick<Wish, "homeless" | "settings">,
  { look, site }: Ground,
): Promise<void> {
  const lines = await homelessPods(leaving, settings, { look, site });
  if (lines.length === 0) return;
  const found = `${counted(lines.length, "pod")} would find no place in the other zones`;
  if (homeless === "refused")
    throw new CommandFailure(
      `${found}: ${limited(lines).join("; ")}`,
      "make room in the other zones, or let the pods be Pending with --allow-pending",
    );
  for (const line of limited(lines)) site.report.warn(found, line);
}

interface Ground {
  readonly look: ZoneLook;
  readonly site: EvacuationSite;
}

/** The pods whose controller would make them again, and for which no other zone has room, each with the reason. */
async function homelessPods(
  leaving: readonly Node[],
  settings: DrainSettings,
  { look: { hosts, away }, site: { client, cluster } }: Ground,
): Promise<readonly string[]> {
  const reader = new ClusterReader(client);
  const rooms = new Rooms(hosts, reader);
  await rooms.readAll();
  const onNodes = await inTurns(leaving, async (node) => ({
    node,
    pods: await rooms.podsOn(node.name),
  }));
  const { pods, orphaned } = await surroundings(onNodes, { cluster, reader });
  const now = systemClock.now();
  const seekers = leaving.flatMap((node) =>
    (pods.get(node.name) ?? []).filter(({ pod }) =>
      isReplaced(pod, { now, node, marked: now, settings, orphaned }),
    ),
  );
  const without = new Set<string>(away);
  const { places } = await rooms.placesFor(seekers, without);
  const placements = places.of(seekers, without);
  return seekers.flatMap(({ pod }) => {
    const placement = placements.get(pod.uid);
    if (placement === undefined || placement.kind === "place") return [];
    return [`${podTitle(pod)}: ${placeWords(placement)}`];
  });
}
