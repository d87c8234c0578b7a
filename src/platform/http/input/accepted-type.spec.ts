import { acceptedType } from './accepted-type';

const OFFERED = ['text/csv', 'application/x-ndjson'] as const;
const [CSV, NDJSON] = OFFERED;

describe('the media types that a route offers', () => {
  it.each<[string | undefined, string | undefined]>([
    [undefined, CSV],
    ['', CSV],
    ['*/*', CSV],
    ['text/csv', CSV],
    ['Text/CSV; header=present', CSV],
    ['application/x-ndjson', NDJSON],
    ['application/*', NDJSON],
    ['text/html, application/xhtml+xml, */*;q=0.8', CSV],
    ['text/csv;q=0.5, application/x-ndjson', NDJSON],
    ['text/csv;q=0, */*', NDJSON],
    ['application/x-ndjson;q=0.1, */*;q=0.2', CSV],
    ['text/csv;q=many, application/x-ndjson;q=0.1', NDJSON],
    ['application/json', undefined],
    ['text/csv;q=0', undefined],
    [',;=', undefined],
  ])('a client that accepts %j gets %j', (accept, type) => {
    expect(acceptedType(accept, OFFERED)).toBe(type);
  });
});
