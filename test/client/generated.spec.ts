import { readFileSync } from 'node:fs';
import { GENERATED, generateClient } from './generate';

it('The generated part of the client is what the API document of this source says (else: npm run client)', async () => {
  const generated = await generateClient();
  expect(generated).toContain('"/v1/activities/{id}/grabs"');
  expect(readFileSync(GENERATED, 'utf8') === generated).toBe(true);
});
