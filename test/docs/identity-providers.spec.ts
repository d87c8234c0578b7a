import { parseEnv } from 'node:util';
import { faultsOf, settings, textOf } from '../deploy/programs';

const ENGINES = { DATABASE_URL: 'postgres://hongbao@db/hongbao', REDIS_URL: 'redis://redis:6379' };

const recipes = Array.from(
  textOf('docs', 'identity-providers.md').matchAll(/^## (.+)$[^]*?^```ini\n([^]*?)^```/gm),
  ([, provider, block]) => [provider!, parseEnv(block!) as Record<string, string>] as const,
);

it.each(recipes)(
  'The recipe for %s uses only existing settings, and a program starts with them',
  (_, recipe) => {
    expect(Object.keys(recipe).filter((name) => !settings.has(name))).toEqual([]);
    expect(faultsOf({ ...ENGINES, ...recipe, NODE_ENV: 'production' })).toEqual([]);
  },
);

it('There is a recipe for each kind of issuer', () => {
  expect(recipes.map(([provider]) => provider)).toEqual([
    'Auth0',
    'Microsoft Entra ID',
    'Keycloak',
    'Amazon Cognito',
    'Logto',
    'Zitadel',
    'Casdoor',
    'Supabase',
    'A back end that signs',
  ]);
});
