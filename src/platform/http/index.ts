export { acceptedType } from './accepted-type';
export { bearerToken } from './auth/bearer-token';
export { ACCEPT_QUEUE_LENGTH } from './accept-queue';
export { AdminPages } from './admin-pages';
export { Allow, Probe, Public, rolesOf } from './auth/access';
export { type Caller, CurrentCaller } from './auth/caller';
export { AcceptsTicket, TicketVerifier } from './auth/tickets';
export { TokenVerifier } from './auth/token-verifier';
export { allowOrigins } from './cors';
export { Checks } from './checks';
export { FastLane, type Lane } from './fast-lane/fast-lane';
export { configureHttp, createFastifyAdapter } from './fastify';
export { Faults } from './faults';
export { drain, exitOnSignal } from './graceful-exit';
export {
  busy,
  forbidden,
  internal,
  invalidRequest,
  malformedRequest,
  notAcceptable,
  rateLimited,
  routeNotFound,
  unauthenticated,
  unavailable,
  unknownField,
} from './http.error';
export { HttpMetrics } from './http-metrics';
export { HttpModule } from './http.module';
export { IdempotencyModule, IdempotencyWorkerModule } from './idempotency/idempotency.module';
export { IdempotencyService } from './idempotency/idempotency.service';
export { idempotencySchema } from './idempotency/schema';
export { Idempotent, IdempotentRequest } from './idempotency/idempotent-request';
export { IdParam, idSchema, isId, UserIdParam, userIdSchema } from './ids';
export { IsId, IsUserId } from './is-id';
export { IsInstant, isInstant } from './is-instant';
export { IsMoney } from './is-money';
export { IsText } from './is-text';
export { ApiPage } from './openapi/api-page';
export { ApiProblems } from './openapi/api-problems';
export { exampleInstant } from './openapi/example-instant';
export { ProblemDto } from './openapi/problem.dto';
export { type ApiDescription, createDocument, setupSwagger } from './openapi/swagger';
export { Optional } from './optional';
export { decodeCursor, encodeCursor, type Page, PageQuery, toPage } from './page';
export { type ProblemReply } from './problem-reply';
export { Problems } from './problems';
export { RateLimits } from './rate-limit/rate-limits';
export { SharedCountsModule } from './rate-limit/shared-counts.module';
export { Readiness } from './readiness';
export { streamAnswer } from './streamed-answer';
export { isDue, type Session, Sessions } from './websocket/sessions';
export { allowUpgrade, type Upgrade, upgradeOf } from './websocket/upgrades';
export { serveWebPages, type WebPage } from './web-pages';
