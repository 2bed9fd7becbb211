import { systemClock } from "../../lambda/adapters/local/system-clock.ts";
import { counted } from "../../lambda/domain/counted.ts";
import type { DrainSettings } from "../../lambda/domain/drain/drain-policy.ts";
import { limited } from "../../lambda/domain/drain/hold-reason.ts";
import type { Node } from "../../lambda/domain/node/node.ts";
import { placeWords } from "../../lambda/domain/placement/place-words.ts";
import { podTitle } from "../../lambda/domain/pod/pod.ts";
import { CommandFailure } from "../command-failure.ts";
import { ClusterReader } from "../plan/reading/cluster-reader.ts";
import { inTurns } from "../plan/reading/in-turns.ts";
import { Rooms } from "../plan/reading/rooms.ts";
import { isReplaced, surroundings } from "../plan/reading/surroundings.ts";
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
