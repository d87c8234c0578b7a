export interface Size {
  readonly width: number;
  readonly height: number;
}

interface Frame extends Size {
  readonly x: number;
  readonly y: number;
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/**
 * Returns whether every frame of a WebP image lies within its canvas, whose size its first chunk
 * gives. A decoder makes room for a frame by the size that the frame itself gives.
 */
export function webpFits(bytes: Buffer, canvas: Size): boolean {
  const chunks = webpChunks(bytes.subarray(12));
  return chunks !== undefined && chunks.some(isPicture) && chunks.every((chunk) => chunkFits(chunk, canvas));
}

/** Returns whether every frame of an animated PNG lies within its canvas. */
export const pngFits = (bytes: Buffer, canvas: Size): boolean =>
  pngChunks(bytes.subarray(8)).every(({ type, data }, i) => {
    if (type === 'IHDR') return i === 0;
    return type !== 'fcTL' || (data.length >= 20 && lies(pngFrame(data), canvas));
  });

const isPicture = ({ type }: Chunk): boolean => ['VP8 ', 'VP8L', 'ANMF'].includes(type);

function chunkFits({ type, data }: Chunk, box: Size): boolean {
  if (type === 'VP8 ') return data.length >= 10 && lies({ x: 0, y: 0, ...sizeOfLossy(data) }, box);
  if (type === 'VP8L') return data.length >= 5 && lies({ x: 0, y: 0, ...sizeOfLossless(data) }, box);
  if (type !== 'ANMF') return true;
  if (data.length < 16) return false;
  const frame = webpFrame(data);
  const inner = webpChunks(data.subarray(16));
  return lies(frame, box) && inner !== undefined && inner.every((chunk) => chunkFits(chunk, frame));
}

const lies = ({ x, y, width, height }: Frame, box: Size): boolean =>
  x + width <= box.width && y + height <= box.height;

/** Undefined if there is more than the chunks: a decoder might read the rest differently. */
function webpChunks(bytes: Buffer): Chunk[] | undefined {
  const chunks: Chunk[] = [];
  let at = 0;
  while (at + 8 <= bytes.length) {
    const length = bytes.readUInt32LE(at + 4);
    chunks.push({
      type: bytes.toString('latin1', at, at + 4),
      data: bytes.subarray(at + 8, at + 8 + length),
    });
    at += 8 + length + (length % 2);
  }
  return at === bytes.length ? chunks : undefined;
}

function pngChunks(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const data = bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at));
    chunks.push({ type: bytes.toString('latin1', at + 4, at + 8), data });
  }
  return chunks;
}

export const sizeOfLossy = (data: Buffer): Size => ({
  width: data.readUInt16LE(6) & 0x3fff,
  height: data.readUInt16LE(8) & 0x3fff,
});

export function sizeOfLossless(data: Buffer): Size {
  const bits = data.readUInt32LE(1);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

/** Places count pairs of pixels. */
const webpFrame = (data: Buffer): Frame => ({
  x: 2 * data.readUIntLE(0, 3),
  y: 2 * data.readUIntLE(3, 3),
  width: 1 + data.readUIntLE(6, 3),
  height: 1 + data.readUIntLE(9, 3),
});

const pngFrame = (data: Buffer): Frame => ({
  width: data.readUInt32BE(4),
  height: data.readUInt32BE(8),
  x: data.readUInt32BE(12),
  y: data.readUInt32BE(16),
});
