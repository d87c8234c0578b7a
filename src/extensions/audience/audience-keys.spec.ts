import { proofsIn } from './audience-keys';

/** Postgres accepts neither NUL nor half a surrogate pair in JSON, and one query serves hundreds of listeners. */
it.each(['\0', '\ud800', ' ', '%'])('a share code with %j proves nothing', (character) => {
  expect(proofsIn({ 'share-code': character + 'a'.repeat(21) })).toEqual({});
  expect(proofsIn({ 'share-code': 'a-_'.repeat(7) + 'Z' })).toEqual({ shareCode: 'a-_'.repeat(7) + 'Z' });
});
