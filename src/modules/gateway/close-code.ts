/** Why a connection is ended, as clients read it. */
export const CLOSE = {
  /** This server is leaving: connect again, in a moment of your own choice. */
  leaving: 1001,
  /** As the library says it, like the next one, of bytes that are no frame, and of text that is no UTF-8. */
  noFrame: 1002,
  noText: 1007,
  notOurProtocol: 1008,
  /** As the library says it of a frame beyond `maxPayload`. */
  tooLarge: 1009,
  tokenEnded: 4401,
  tooMany: 4429,
} as const;

/** Those that clients choose, or that stand for a connection that was cut. */
const OTHERS = [1000, 1005, 1006];

const COUNTED = [...OTHERS, ...Object.values(CLOSE)].map(String);

export const CLOSE_LABELS = [...COUNTED, 'other'] as const;

export const closeLabel = (code: number): string => (COUNTED.includes(String(code)) ? String(code) : 'other');
