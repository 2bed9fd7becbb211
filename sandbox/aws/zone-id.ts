/**
 * The id of a zone, such as `euw1-az2` for `eu-west-1a`. In each account a letter means another zone, so here `a` is not 1.
 *
 * @see https://docs.aws.amazon.com/ram/latest/userguide/working-with-az-ids.html
 */
export function zoneId(zone: string): string {
  const [area = "", ...sides] = zone.slice(0, -1).split("-");
  const short = sides.map((side) => side.replace(/^(north|south)?(.).*$/, initials));
  const place = (zone.charCodeAt(zone.length - 1) - "a".charCodeAt(0) + 1) % 6;
  return `${area}${short.join("")}-az${place + 1}`;
}

const initials = (_: string, pole = "", side = ""): string => `${pole.slice(0, 1)}${side}`;
