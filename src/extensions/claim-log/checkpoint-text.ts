export const TEXT = 'text/plain; charset=utf-8';
export const AS_TEXT = { content: { 'text/plain': { schema: { type: 'string' as const } } } };
