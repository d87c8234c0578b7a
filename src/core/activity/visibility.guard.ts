import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { isId } from '../../platform/http';
import { Visibility } from './visibility';

const JUDGED = 'hongbao:judged';

/** A route about an activity that judges by itself who may know of it. */
export const JudgesVisibility = (): MethodDecorator => SetMetadata(JUDGED, true);

const ABOUT_AN_ACTIVITY = '/v1/activities/:id';

/**
 * Answers for an activity that the caller may not know of as if it did not exist. It guards all routes whose path
 * names an activity, so that none can forget it. Public routes have neither caller nor stranger.
 */
@Injectable()
export class VisibilityGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly visibility: Visibility,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { caller, stranger, headers: keys, routeOptions, params } = request;
    if ((!caller && stranger === undefined) || !isAboutAnActivity(routeOptions.url)) return true;
    if (this.reflector.get<boolean | undefined>(JUDGED, context.getHandler())) return true;
    const { id } = params as { id: unknown };
    if (!isId(id)) return true;
    const judgement = caller
      ? this.visibility.require({ caller, keys }, id)
      : this.visibility.requireOfStranger(keys, id);
    return judgement.then(() => true as const);
  }
}

const isAboutAnActivity = (url: string | undefined): boolean =>
  url === ABOUT_AN_ACTIVITY || url?.startsWith(`${ABOUT_AN_ACTIVITY}/`) === true;
