import { HttpException, Injectable, Logger } from '@nestjs/common';
import { DeadlineExceeded } from '../../../../libs/deadline';
import { Problem } from '../../../../libs/problem';
import { AppConfig } from '../../config';
import {
  forbidden,
  internal,
  malformedRequest,
  requestTooLarge,
  routeNotFound,
  unavailable,
} from '../problems/http.error';
import { HttpMetrics } from './http-metrics';
import { isOutage } from '../../postgres';
import { acceptedLanguage } from '../input/accepted-type';
import { problemPage } from '../problems/problem-page';
import { type ProblemReply, type ProblemRequest, sendProblem } from '../problems/problem-reply';
import { Refusals } from '../problems/refusals';
import { PAGE_LANGUAGES } from '../problems/static-page';
import { isNavigation } from './navigation';
import { isForOperators } from './operator-routes';

/**
 * The one place where an exception becomes an answer. A Problem itself says what the client may know; a
 * refusal by the framework is known by its status alone; everything else is a fault of ours, logged in full
 * and shown only as a request id. A person who opens an address in a browser reads it as a page.
 */
@Injectable()
export class Problems {
  private readonly logger = new Logger('Http');

  constructor(
    private readonly metrics: HttpMetrics,
    private readonly refusals: Refusals,
    private readonly config: AppConfig,
  ) {}

  /** @param route as it is documented, for the log */
  sendException(exception: unknown, reply: ProblemReply, route: () => string): void {
    const problem = toProblem(exception);
    this.metrics.countProblem(problem);
    this.refusals.note(problem);
    if (problem.status === 500)
      this.logger.error(`${route()} failed`, explain(exception), { requestId: reply.request.id });
    if (reply.sent) return;
    sendProblem(
      reply,
      problem,
      isNavigation(reply.request) ? this.pageFor(reply.request, problem) : undefined,
    );
  }

  private pageFor({ id, headers, routeOptions }: ProblemRequest, problem: Problem): string {
    return problemPage(problem, {
      requestId: id,
      basePath: this.config.BASE_PATH,
      language: acceptedLanguage(headers?.['accept-language'], PAGE_LANGUAGES),
      isForOperators: isForOperators(routeOptions?.url),
    });
  }
}

const NO_ANSWER =
  'Postgres or Redis did not answer in time. Repeat the request, a POST with the same Idempotency-Key.';

function toProblem(exception: unknown): Problem {
  if (exception instanceof Problem) return exception;
  if (exception instanceof HttpException) return fromStatus(exception.getStatus());
  if (isOutage(exception) || exception instanceof DeadlineExceeded) {
    return unavailable(NO_ANSWER, { retryAfterSeconds: 1, cause: exception });
  }
  return internal('Something went wrong on our side.', { cause: exception });
}

/** The framework's own text may repeat what the client sent. */
function fromStatus(status: number): Problem {
  if (status === 403) return forbidden('This is not allowed.');
  if (status === 404)
    return routeNotFound('There is no such route. Paths are in lower case, and have no slash at the end.');
  if (status === 413) return requestTooLarge('The body is larger than 16 KiB.');
  if (status < 500)
    return malformedRequest('The request could not be read: check its path and that its body is JSON.');
  if (status === 503)
    return unavailable('This server is shutting down; another one may answer.', { retryAfterSeconds: 1 });
  return internal('Something went wrong on our side.');
}

/** Returns stacks only: other properties of an error may hold what the client sent. */
function explain(exception: unknown): string {
  if (!(exception instanceof Error)) return String(exception);
  const stack = exception.stack ?? exception.message;
  return exception.cause === undefined ? stack : `${stack}\ncaused by ${explain(exception.cause)}`;
}
