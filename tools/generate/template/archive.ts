import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";

/** The code of each function that CDK has left in a folder, under the name by which the template asks for it. */
export const archivesIn = (made: string): readonly (readonly [string, Buffer])[] =>
  globSync("asset.*/", { cwd: made })
    .sort()
    .map((asset) => {
      const names = globSync("*", { cwd: join(made, asset) });
      const files = names.map((name) => ({ name, content: readFileSync(join(made, asset, name)) }));
      return [`${basename(asset).slice("asset.".length)}.zip`, zip(files)];
    });

/** A file of an archive. */
interface Packed {
  readonly name: string;
  readonly content: Buffer;
}

// 1 January 1980, the first day that an archive knows: the same files make the same archive, whenever it is made.
const day = 0x21;
const usualRights = 0o100644 * 0x10000;

/** Makes an archive of files, in the order of their names. @see https://pkware.cachefly.net/webdocs/APPNOTE/APPNOTE-6.3.9.TXT */
export function zip(files: readonly Packed[]): Buffer {
  const sorted = files.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const [bodies, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const { name, content } of sorted) {
    const packed = deflateRawSync(content, { level: 9 });
    const title = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0); // the version that can unpack it
    common.writeUInt16LE(0x800, 2); // names are UTF-8
    common.writeUInt16LE(8, 4); // deflated
    common.writeUInt16LE(day, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(title.length, 22);
    bodies.push(signed(0x04034b50), common, title, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(usualRights, 6);
    place.writeUInt32LE(offset, 10);
    directory.push(signed(0x02014b50), madeOnUnix, common, place, title);
    offset += 30 + title.length + packed.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(sorted.length, 4);
  end.writeUInt16LE(sorted.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, ...directory, signed(0x06054b50), end]);
}

const madeOnUnix = Buffer.from([20, 3]);

function signed(signature: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(signature);
  return bytes;
}
