import { type Fault, must } from '../../../libs/problem';
import { pngFits, type Size, sizeOfLossless, sizeOfLossy, webpFits } from './image-frames';

const LOGO_BYTES_MAX = 8 * 1024;
const LOGO_SIDE_MAX = 512;

const TOO_WIDE = `must have at most ${LOGO_SIDE_MAX} × ${LOGO_SIDE_MAX} pixels`;

const DATA_URL = /^data:(image\/(?:png|webp));base64,([A-Za-z0-9+/]+={0,2})$/;

/** Longer than any data URL of a logo. */
export const LOGO_TEXT_MAX = 11_000;

export interface Logo {
  readonly type: 'image/png' | 'image/webp';
  readonly bytes: Buffer;
}

/**
 * Returns the image of a data URL, or its fault. Its first bytes say its format and its size, and each frame
 * its own; otherwise a few bytes could unfold into gigabytes on a phone.
 */
export function logoOf(value: unknown): Logo | Fault {
  const [, named, text] = (typeof value === 'string' && DATA_URL.exec(value)) || [];
  if (text === undefined) return must.beA('image-data-url');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > LOGO_BYTES_MAX)
    return must.haveSize('bytes', { maximum: LOGO_BYTES_MAX }, `must have at most ${LOGO_BYTES_MAX} bytes`);
  const type = typeOf(bytes);
  if (type === undefined || type !== named) return must.beA('image-of-its-type');
  const [sizeOf, fits] = type === 'image/png' ? [sizeOfPng, pngFits] : [sizeOfWebp, webpFits];
  const { width, height } = sizeOf(bytes);
  if ([width, height].some((side) => !(side >= 1 && side <= LOGO_SIDE_MAX)))
    return must.haveSize('pixels', { maximum: LOGO_SIDE_MAX }, TOO_WIDE);
  if (!fits(bytes, { width, height })) return must.beA('whole-image');
  return { type, bytes };
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** All formats have their sizes within these. */
const HEAD_BYTES = 30;

/** Returns the format that the first bytes show. */
export function typeOf(bytes: Buffer): Logo['type'] | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const text = (start: number, end: number) => bytes.toString('latin1', start, end);
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE) && text(12, 16) === 'IHDR') return 'image/png';
  return text(0, 4) === 'RIFF' && /^WEBPVP8[ LX]$/.test(text(8, 16)) ? 'image/webp' : undefined;
}

const sizeOfPng = (bytes: Buffer): Size => ({
  width: bytes.readUInt32BE(16),
  height: bytes.readUInt32BE(20),
});

/** The three kinds of RFC 9649: lossy, lossless and extended. */
function sizeOfWebp(bytes: Buffer): Size {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return sizeOfLossy(bytes.subarray(20));
    case 'VP8L':
      return sizeOfLossless(bytes.subarray(20));
    default:
      return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  }
}
