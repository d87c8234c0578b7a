import { proofsIn } from './audience-keys';

/** Postgres takes no NUL and no half of a pair in JSON, and one look asks for hundreds of listeners. */
it.each(['\0', '\ud800', ' ', '%'])('a share code with %j proves nothing', (character) => {
  expect(proofsIn({ 'share-code': character + 'a'.repeat(21) })).toEqual({});
  expect(proofsIn({ 'share-code': 'a-_'.repeat(7) + 'Z' })).toEqual({ shareCode: 'a-_'.repeat(7) + 'Z' });
});
