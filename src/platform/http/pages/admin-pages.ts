import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AppConfig } from '../../config';
import { takeOutBasePath } from '../edge/base-path';
import { SERVER_TIMEOUTS, SILENCE_TIMEOUT_MS } from '../edge/fastify';
import { isForOperators } from '../edge/operator-routes';
import { routeNotFound } from '../problems/http.error';
import { refuseConnection } from '../problems/problem-reply';

/** A closing server drops idle connections at this interval. */
const IDLE_CHECK_MS = 20;

/**
 * Keeps pages for operators (the console, queues, documents, metrics) away from clients: on a separate port
 * if one is configured, and in production nowhere else. That port also serves everything else, so that
 * Swagger UI calls the server that it comes from.
 *
 * Create it before `init`, and call `listen` after it.
 */
export class AdminPages {
  private readonly server?: Server;
  private readonly fastify: FastifyInstance;
  private port?: number;

  constructor(
    app: NestFastifyApplication,
    private readonly config: AppConfig,
  ) {
    this.fastify = app.getHttpAdapter().getInstance();
    const { fastify } = this;
    if (config.ADMIN_PORT !== undefined) {
      this.server = createServer(SERVER_TIMEOUTS, (request, response) => fastify.routing(request, response));
      takeOutBasePath(this.server, config.BASE_PATH);
      this.server.setTimeout(SILENCE_TIMEOUT_MS);
      this.server.on('clientError', refuseConnection);
      fastify.addHook('onClose', () => this.close());
    }
    fastify.addHook('onRequest', (request, _reply, done) => {
      done(this.isServed(request) ? undefined : routeNotFound('There is no such route.'));
    });
  }

  async listen(): Promise<void> {
    if (!this.server) return;
    await this.fastify.ready();
    this.server.listen(this.config.ADMIN_PORT, this.config.HOST);
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Part of the line that a process prints when it has started. */
  get whereabouts(): string {
    if (this.server) return `on port ${this.port}`;
    return this.config.NODE_ENV === 'production' ? 'nowhere (ADMIN_PORT is not set)' : 'on the same port';
  }

  /** The route decides, not the path, which can be written in many ways. */
  private isServed({ routeOptions, socket }: FastifyRequest): boolean {
    if (!isForOperators(routeOptions.url)) return true;
    return this.server ? socket.localPort === this.port : this.config.NODE_ENV !== 'production';
  }

  /** The program's exit bounds the time of requests in progress. */
  private async close(): Promise<void> {
    const { server } = this;
    if (!server?.listening) return;
    const closingIdle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    server.close();
    await once(server, 'close').finally(() => clearInterval(closingIdle));
  }
}
