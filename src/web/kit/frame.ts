/** An app shows the page in a frame, from which no link leads to other sites. */
export const isInFrame = parent !== globalThis.window;
