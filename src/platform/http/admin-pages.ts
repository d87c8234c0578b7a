import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AppConfig } from '../config';
import { SERVER_TIMEOUTS } from './fastify';
import { routeNotFound } from './http.error';

/** The page that the `type` of every problem points to is for clients, and stays where they are. */
const ADMIN_PAGE = /^\/(metrics|openapi\.json|docs(?!\/errors$))(\/|$)/;
const PROBE = /^\/health\//;

/**
 * Keeps what is meant for operators (Swagger UI, the API document, metrics) away from clients: it is served on a port of
 * its own where one is configured, in production nowhere else, and that port serves nothing else but the probes.
 *
 * Create it before `init`, and call `listen` after it.
 */
export class AdminPages {
  private readonly server?: Server;
  private readonly fastify: FastifyInstance;

  constructor(
    app: NestFastifyApplication,
    private readonly config: AppConfig,
  ) {
    this.fastify = app.getHttpAdapter().getInstance();
    const { fastify } = this;
    if (config.ADMIN_PORT !== undefined) {
      this.server = createServer(SERVER_TIMEOUTS, (request, response) => fastify.routing(request, response));
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
  }

  /** Where they are, for the line that a process prints when it has started. */
  get whereabouts(): string {
    if (this.server) return `on port ${this.port}`;
    return this.config.NODE_ENV === 'production' ? 'nowhere (ADMIN_PORT is not set)' : 'on the same port';
  }

  /** Judged by the route that was found: a path can be written in many ways. */
  private isServed({ routeOptions, socket }: FastifyRequest): boolean {
    const { url: route = '' } = routeOptions;
    const isAdminPage = ADMIN_PAGE.test(route);
    if (this.server === undefined) return !isAdminPage || this.config.NODE_ENV !== 'production';
    return socket.localPort === this.port ? isAdminPage || PROBE.test(route) : !isAdminPage;
  }

  private get port(): number | undefined {
    return (this.server?.address() as AddressInfo | null)?.port;
  }

  private close(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}
