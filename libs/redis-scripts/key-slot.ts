export const SLOT_COUNT = 16_384;

const POLYNOMIAL = 0x1021;

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
  return crc;
});

/** CRC16-CCITT (XMODEM): polynomial 0x1021, initial value 0, no reflection. */
function crc16(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) crc = ((crc << 8) ^ TABLE[((crc >> 8) ^ byte) & 0xff]!) & 0xffff;
  return crc;
}

/** The text between the first `{` and the next `}`, unless it is empty, decides the slot. */
function hashTagOf(key: string): string {
  const open = key.indexOf('{');
  const close = key.indexOf('}', open + 1);
  return open >= 0 && close > open + 1 ? key.slice(open + 1, close) : key;
}

/** CRC16(tag) mod 16384 (Redis Cluster specification, "Hash tags"). */
export function keySlot(key: string): number {
  return crc16(Buffer.from(hashTagOf(key))) % SLOT_COUNT;
}
