import type { INestApplicationContext } from '@nestjs/common';
import { type Lane, rolesOf } from '../../../platform/http';
import { GrabController } from './grab.controller';
import { TapService } from './tap.service';

export const tapRoles = () => rolesOf(GrabController, 'grab');

/** The fast lane of taps: crowds use this route, and it is plain enough. */
export function tapLane(app: INestApplicationContext): Lane {
  const taps = app.get(TapService);
  return {
    path: /^\/v1\/activities\/(\d{1,19})\/grabs$/,
    roles: tapRoles(),
    answerRequest: (id, caller, headers, reply) => taps.answerTap(id, caller, headers, reply),
  };
}
