/** The codes with which a connection ends, as clients read them. */
export const CLOSE = {
  /** This server is leaving: clients reconnect after a random delay. */
  leaving: 1001,
  /** The library's codes for bytes that are not a frame, and for text that is not UTF-8. */
  noFrame: 1002,
  noText: 1007,
  notOurProtocol: 1008,
  /** The library's code for a frame beyond `maxPayload`. */
  tooLarge: 1009,
  tokenEnded: 4401,
  tooMany: 4429,
} as const;

/** Codes that clients choose, or that mean that a connection was cut off. */
const OTHERS = [1000, 1005, 1006];

const COUNTED = [...OTHERS, ...Object.values(CLOSE)].map(String);

export const CLOSE_LABELS = [...COUNTED, 'other'] as const;

export const closeLabel = (code: number): string => (COUNTED.includes(String(code)) ? String(code) : 'other');
