import { systemClock } from "../../lambda/adapters/local/system-clock.ts";
import { limited } from "../../lambda/domain/drain/hold-reason.ts";
import type { Placement } from "../../lambda/domain/forecast/placement.ts";
import type { Node } from "../../lambda/domain/node/node.ts";
import { podTitle } from "../../lambda/domain/pod/pod.ts";
import { CommandFailure } from "../command-failure.ts";
import { ClusterReader } from "../plan/reading/cluster-reader.ts";
import { Rooms } from "../plan/reading/rooms.ts";
import { isReplaced, surroundings } from "../plan/reading/surroundings.ts";
import { many, placeWords } from "../plan/words.ts";
import type { EvacuationSite, Wish } from "./wish.ts";
import { type ZoneLook, zoneOf } from "./zone-look.ts";

/** Refuses to drain nodes whose pods find no place in the other zones, or only warns of them if they may be Pending. */
export async function assertRoom(
  leaving: readonly Node[],
  { zone, settings, homeless }: Pick<Wish, "homeless" | "settings" | "zone">,
  { hosts, site }: Pick<ZoneLook, "hosts"> & { readonly site: EvacuationSite },
): Promise<void> {
  const reader = new ClusterReader(site.client);
  const rooms = new Rooms(hosts, reader);
  await rooms.readAll();
  const onNodes = await Promise.all(
    leaving.map(async (node) => ({ node, pods: await rooms.podsOn(node.name) })),
  );
  const { pods, orphaned } = await surroundings(onNodes, { cluster: site.cluster, reader });
  const now = systemClock.now();
  const seekers = leaving.flatMap((node) =>
    (pods.get(node.name) ?? []).filter(({ pod }) =>
      isReplaced(pod, { now, node, marked: now, settings, orphaned }),
    ),
  );
  const away = hosts.map(({ node }) => node).filter((node) => zoneOf(node) === zone);
  const { places } = await rooms.placesFor(seekers, new Set(away.map(({ name }) => name)));
  const placements = places.of(seekers, new Set(away.map(({ name }) => name)));
  const lines = seekers.flatMap(({ pod }) => {
    const placement: Placement = placements.get(pod.uid) ?? { kind: "place" };
    return placement.kind === "place" ? [] : [`${podTitle(pod)}: ${placeWords(placement)}`];
  });
  if (lines.length === 0) return;
  const found = `${many(lines.length, "pod")} would find no place in the other zones`;
  if (homeless === "refused")
    throw new CommandFailure(
      `${found}: ${limited(lines).join("; ")}`,
      "make room in the other zones, or let the pods be Pending with --allow-pending",
    );
  for (const line of limited(lines)) site.report.warn(found, line);
}
