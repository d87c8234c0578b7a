import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { limitsIn } from '../libs/money';
import type { AppConfig } from './platform/config';
import { serveWebPages, signToken } from './platform/http';

const DIRECTORY = join(__dirname, '..', 'web');

const GUEST_HOURS = 1;

/** Serves the pages, unless `WEB=off`. Sites that may call the API may also embed the rain. */
export function serveWeb(app: NestFastifyApplication, config: AppConfig): void {
  if (config.WEB === 'off') return;
  const embedders = config.CORS_ORIGINS;
  const basePath = config.BASE_PATH;
  const shared = {
    frameAncestors: ["'self'", ...embedders].join(' '),
    settings: { embedders, guests: config.RAIN_GUESTS, basePath: basePath || undefined },
  };
  serveWebPages(app, { directory: DIRECTORY, basePath }, [
    {
      file: 'rain.html',
      routes: ['/rain/:activityId'],
      worker: { file: 'rain-worker.js', route: '/rain/worker.js' },
      ...shared,
    },
    { file: 'people.html', routes: ['/send', '/me'], ...shared },
    {
      file: 'console.html',
      routes: ['/console', '/console/*'],
      frameAncestors: "'none'",
      framesOwn: true,
      ...consoleSettings(config),
    },
  ]);
  if (config.RAIN_GUESTS) admitGuests(app, config);
}

/** Settings of the console, each where it is configured. */
function consoleSettings(config: AppConfig) {
  const {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_SCOPE: scope,
    OIDC_AUDIENCE: audience,
    OIDC_RESOURCE: resource,
    JWT_ROLE_CLAIM: claim,
    JWT_ROLE_NAMES: names,
    DEMO_FAULTS_URL: faults,
    APPROVAL_ABOVE: above,
    CURRENCY,
    TIME_ZONE: zone,
  } = config;
  const signIn = issuer === undefined ? undefined : { issuer, clientId, scope, audience, resource };
  const places = [issuer, faults].filter((place) => place !== undefined);
  return {
    settings: {
      basePath: config.BASE_PATH || undefined,
      signIn,
      faults,
      approvalAbove: above && Object.fromEntries(limitsIn(above, CURRENCY)),
      zone,
      roles: { claim, names },
    },
    connectsTo: places.map((place) => new URL(place).origin),
  };
}

/** Gives every visitor a token of a new made-up user, in development. */
function admitGuests(
  app: NestFastifyApplication,
  { JWT_SECRET, JWT_AUDIENCE, JWT_AUDIENCE_CLAIM, JWT_ISSUER }: AppConfig,
): void {
  const audience = { audience: JWT_AUDIENCE, audienceClaim: JWT_AUDIENCE_CLAIM };
  const settings = { secret: JWT_SECRET!, ...audience, issuer: JWT_ISSUER };
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.post('/rain/guests', () => {
    const sub = `guest-${randomBytes(6).toString('hex')}`;
    return { token: signToken(settings, { sub, role: 'user' }, GUEST_HOURS) };
  });
}
