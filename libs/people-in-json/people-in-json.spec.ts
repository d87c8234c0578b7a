import { renamedInJson } from './people-in-json';

const pseudonymOf = (id: string) => (id === 'zo"e' ? 'erased' : undefined);

it('a person is renamed in every field that names people, also in JSON within a text, and in no other', () => {
  const audience = (id: string) => JSON.stringify({ kind: 'people', userIds: ['ann', id] });
  const answer = (id: string) => ({
    writtenBy: id,
    subject: `wallet:${id}`,
    terms: { audience: audience(id), name: 'zo"e' },
  });
  expect(renamedInJson(answer('zo"e'), pseudonymOf)).toEqual(answer('erased'));
});

it('a value that names nobody stays the same object, and a text that only looks like JSON stays the same text', () => {
  const value = { terms: { audience: '{ "userIds": ["ann"] }', name: '{zo"e' } };
  expect(renamedInJson(value, pseudonymOf)).toBe(value);
});
