export { ApiClient, type ClientOptions, newKey } from './api-client';
export { ApiProblem, type FieldFault, type ProblemCode, UnexpectedAnswer } from './api-problem';
export { type FeedEnd, type FeedEvent, type FeedReader, type FeedStart, readEvents } from './event-feed';
export { Gateway, TOKEN_ENDED } from './gateway';
export { Line, type LineListener } from './line';
export { type Operations, ROUTES } from './named-operations';
export { type Hurdle, hurdleOf, patiently, pause } from './patience';
export { fetchPatiently, Unreachable } from './patient-fetch';
export type {
  ActivityKeys,
  Fetch,
  NewsFrame,
  OperationName,
  Options,
  Query,
  Route,
  Schema,
  WebhookMessage,
} from './operations';
export { createWithWord, type SponsorWord } from './sponsor-word';
export { UnverifiedWebhook, verifySignature, verifyWebhook } from './verify-webhook';
