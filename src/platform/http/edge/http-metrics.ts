import { Injectable } from '@nestjs/common';
import { definedProblems, type Problem } from '../../../../libs/problem';
import { Metrics } from '../../telemetry';

/** Counts answers only when they are problems: most are refusals of taps. */
@Injectable()
export class HttpMetrics {
  private readonly requests;
  private readonly problems;

  constructor(metrics: Metrics) {
    this.requests = metrics.counter({
      name: 'hongbao_http_requests_total',
      help: 'HTTP requests received, including probes, metrics scrapes and gateway frames',
    });
    this.problems = metrics.counter({
      name: 'hongbao_http_problems_total',
      help: 'Requests that were answered with a problem, by its status and code',
      labelNames: ['status', 'code'],
    });
    for (const { status, code } of definedProblems()) this.problems.inc({ status, code }, 0);
  }

  countRequest(): void {
    this.requests.inc();
  }

  countProblem({ status, code }: Problem): void {
    this.problems.inc({ status, code });
  }
}
