import { crc32 } from 'node:zlib';

const SIGNATURE = 8;
const LENGTH = 4;
const TYPE = 4;
const CHECKSUM = 4;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** Builds one animated picture (https://www.w3.org/TR/png-3/#apng-frame-based-animation). */
export function animated(frames: readonly Buffer[], frameMs: number): Buffer {
  const [first] = frames;
  const header = chunksOf(first!).find(({ type }) => type === 'IHDR')!.data;
  const control = Buffer.alloc(8);
  control.writeUInt32BE(frames.length, 0);
  let sequence = 0;
  const body = frames.flatMap((frame, i) => {
    const pixels = Buffer.concat(
      chunksOf(frame).flatMap(({ type, data }) => (type === 'IDAT' ? [data] : [])),
    );
    const shown = { type: 'fcTL', data: frameControl(sequence++, header, frameMs) };
    if (i === 0) return [shown, { type: 'IDAT', data: pixels }];
    const number = Buffer.alloc(4);
    number.writeUInt32BE(sequence++);
    return [shown, { type: 'fdAT', data: Buffer.concat([number, pixels]) }];
  });
  const chunks = [
    { type: 'IHDR', data: header },
    { type: 'acTL', data: control },
    ...body,
    { type: 'IEND', data: Buffer.alloc(0) },
  ];
  return Buffer.concat([first!.subarray(0, SIGNATURE), ...chunks.map(written)]);
}

function frameControl(sequence: number, header: Buffer, frameMs: number): Buffer {
  const control = Buffer.alloc(26);
  control.writeUInt32BE(sequence, 0);
  header.copy(control, 4, 0, 8);
  control.writeUInt16BE(frameMs, 20);
  control.writeUInt16BE(1_000, 22);
  return control;
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE; at < png.length;) {
    const length = png.readUInt32BE(at);
    const start = at + LENGTH + TYPE;
    chunks.push({
      type: png.toString('latin1', at + LENGTH, start),
      data: png.subarray(start, start + length),
    });
    at = start + length + CHECKSUM;
  }
  return chunks;
}

function written({ type, data }: Chunk): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(LENGTH + named.length + CHECKSUM);
  chunk.writeUInt32BE(data.length, 0);
  named.copy(chunk, LENGTH);
  chunk.writeUInt32BE(crc32(named), LENGTH + named.length);
  return chunk;
}
