import { defineProblem, type Fault } from '../../../../libs/problem';

export const invalidRequest = defineProblem({
  code: 'request.invalid',
  status: 400,
  title: 'Invalid request',
});

export const invalidField = (field: string, fault: Fault): Error =>
  invalidRequest('The request is not valid.', { fields: [{ field, ...fault }] });

export const unknownField = defineProblem({
  code: 'request.unknown_field',
  status: 400,
  title: 'Unknown field',
});

export const malformedRequest = defineProblem({
  code: 'request.malformed',
  status: 400,
  title: 'Malformed request',
});

export const notAcceptable = defineProblem({
  code: 'request.not_acceptable',
  status: 406,
  title: 'Not acceptable',
});

export const requestTimedOut = defineProblem({
  code: 'request.timed_out',
  status: 408,
  title: 'Request timed out',
});

export const requestTooLarge = defineProblem({
  code: 'request.too_large',
  status: 413,
  title: 'Request too large',
});

export const unsupportedMediaType = defineProblem({
  code: 'request.unsupported_media_type',
  status: 415,
  title: 'Unsupported media type',
});

export const wrongMediaType = (types: readonly string[]): Error =>
  unsupportedMediaType(`Send the body as ${types.join(' or ')}.`);

export const headersTooLarge = defineProblem({
  code: 'request.headers_too_large',
  status: 431,
  title: 'Request headers too large',
});

export const routeNotFound = defineProblem({
  code: 'route.not_found',
  status: 404,
  title: 'Route not found',
});

export const methodNotAllowed = defineProblem({
  code: 'request.method_not_allowed',
  status: 405,
  title: 'Method not allowed',
});

export const unauthenticated = defineProblem({
  code: 'auth.unauthenticated',
  status: 401,
  title: 'Not authenticated',
});

/** Fails closed: without the key set, only callers that have already been verified are accepted. */
export const keysUnavailable = defineProblem({
  code: 'auth.keys_unavailable',
  status: 503,
  title: 'Tokens cannot be verified',
});

export const forbidden = defineProblem({ code: 'auth.forbidden', status: 403, title: 'Not allowed' });

export const rateLimited = defineProblem({ code: 'rate_limited', status: 429, title: 'Too many requests' });

/** Heavy work leaves room for all other requests. */
export const busy = defineProblem({ code: 'busy', status: 503, title: 'Too much heavy work at once' });

export const internal = defineProblem({ code: 'internal', status: 500, title: 'Internal error' });

/** A service that this one depends on is down. */
export const unavailable = defineProblem({
  code: 'unavailable',
  status: 503,
  title: 'Temporarily unavailable',
});
