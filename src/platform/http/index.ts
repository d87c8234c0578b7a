export { acceptedLanguage, acceptedType } from './input/accepted-type';
export { bearerToken } from './auth/bearer-token';
export { ACCEPT_QUEUE_LENGTH } from './edge/accept-queue';
export { AdminPages } from './pages/admin-pages';
export { Allow, OpenToStrangers, Probe, Public } from './auth/access';
export { type Caller, CurrentCaller, CurrentStranger } from './auth/caller';
export { nowSeconds } from './auth/now-seconds';
export { signToken } from './auth/sign-token';
export { AcceptsTicket, TicketVerifier } from './auth/tickets';
export { isDue, TokenVerifier } from './auth/token-verifier';
export { allowOrigins } from './edge/cors';
export { RequestChecks } from './edge/request-checks';
export { FastLane, type Lane } from './fast-lane/fast-lane';
export { configureHttp, createFastifyAdapter } from './edge/fastify';
export { Faults } from './edge/faults';
export { drain, exitOnSignal } from './edge/graceful-exit';
export {
  busy,
  forbidden,
  internal,
  invalidField,
  invalidRequest,
  malformedRequest,
  notAcceptable,
  rateLimited,
  unauthenticated,
  unavailable,
  unknownField,
} from './problems/http.error';
export { jsonFaultAt } from './edge/json-fault';
export { HttpMetrics } from './edge/http-metrics';
export { LongAnswers } from './edge/long-answers';
export { HttpModule } from './http.module';
export { IdempotencyModule, IdempotencyWorkerModule } from './idempotency/idempotency.module';
export { IdempotencyService } from './idempotency/idempotency.service';
export { idempotencySchema } from './idempotency/schema';
export { Idempotent, IdempotentRequest } from './idempotency/idempotent-request';
export { FieldPlace } from './input/field-place';
export {
  DayParam,
  ID_OF_NOTHING,
  IdParam,
  idSchema,
  isId,
  PersonIdParam,
  personIdSchema,
  UserIdParam,
  userIdSchema,
} from './input/ids';
export { IsId, IsPersonId, IsUserId } from './input/is-id';
export { IsAnyText, IsFlag, IsObject, isObject } from './input/is-plain';
export { IsList } from './input/is-list';
export { IsOneOf } from './input/is-one-of';
export { Is, Judged } from './input/judged';
export { IsDay } from './input/is-day';
export { IsInstant, isInstant } from './input/is-instant';
export { CurrencyField, CurrencyQuery, type NameableCurrencies, useCurrencies } from './input/is-currency';
export { IsMoney } from './input/is-money';
export { IsText } from './input/is-text';
export { IsTimeZone } from './input/is-time-zone';
export { IsWholeNumber } from './input/is-whole-number';
export { ApiExamples } from './openapi/api-examples';
export { ApiPage } from './openapi/api-page';
export { ApiPlace, placeOf } from './openapi/api-place';
export { ApiProblems, addProblems } from './openapi/api-problems';
export { documentingParam } from './input/documenting-param';
export { exampleInstant, exampleLocalTime } from './openapi/example-instant';
export { oneOfBy } from './openapi/one-of-by';
export { type Operation, operationsOf } from './openapi/operations';
export { ProblemDto } from './openapi/problem.dto';
export { type ApiDescription, createDocument, setupSwagger } from './openapi/swagger';
export { Omittable, Removable } from './input/optional';
export { invalidUrl, outgoingUrl } from './input/outgoing-url';
export { decodeCursor, encodeCursor, type Page, PageQuery, toPage } from './input/page';
export { type ProblemReply } from './problems/problem-reply';
export {
  escaped,
  inBoth,
  PAGE_LANGUAGES,
  type Said,
  STATIC_PAGE_HEADERS,
  staticPage,
} from './problems/static-page';
export { Problems } from './edge/problems';
export { quoted, Refusal } from './problems/refusals';
export { CountsAs, Heavy, InTurn } from './rate-limit/counts-as';
export { RateLimit } from './rate-limit/rate-limit';
export { RateLimits } from './rate-limit/rate-limits';
export { SharedCountsModule } from './rate-limit/shared-counts.module';
export { Readiness } from './edge/readiness';
export { streamAnswer } from './edge/streamed-answer';
export { streamedBody, StreamsBody } from './input/streamed-body';
export { beginningWith } from './input/unpacked-body';
export { type Session, Sessions } from './websocket/sessions';
export { takeOutBasePath } from './edge/base-path';
export { allowUpgrade, type Upgrade, upgradeOf } from './websocket/upgrades';
export { serveWebPages } from './pages/web-pages';
