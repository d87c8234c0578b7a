import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { IncomingMessage } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { AppConfig } from '../../platform/config';
import {
  allowUpgrade,
  isDue,
  malformedRequest,
  Readiness,
  type Session,
  Sessions,
  upgradeOf,
} from '../../platform/http';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { CLOSE_LABELS, closeLabel } from './close-code';
import { FRAME_BYTES_MAX } from './frame';
import { FrameService } from './frame.service';
import { GatewayConnection } from './gateway-connection';
import { gatewayUnavailable, upgradeRequired } from './gateway.error';
import { hasLostUpgrade, OF_A_PROXY, PROTOCOL, requireHandshake } from './handshake';
import { Room } from './room';

export const GATEWAY_PATH = '/v1/gateway';

const TICK_MS = 1_000;
const BEAT_MS = 15_000;

/** The time for the client's close frame. */
const CLOSE_MS = 2_000;

/** No client needs more parts of a frame, and each part costs as much as a frame. */
const PARTS_MAX = 16;

/** Frames are not compressed: they are short, and each connection would keep a window for it. */
const OPTIONS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: FRAME_BYTES_MAX,
  maxFragments: PARTS_MAX,
  closeTimeout: CLOSE_MS,
  handleProtocols: () => PROTOCOL,
};

/**
 * Connections of a leaving server end at random moments, so that clients do not reconnect all at
 * once: within this share of the shutdown time-out, and this many milliseconds each.
 */
const LEAVING_SHARE = 1 / 4;
const LEAVING_MS_EACH = 1;

@Injectable()
export class Gateway implements OnModuleInit {
  private readonly server = new WebSocketServer(OPTIONS);
  /** Connections, each with the moment of its next heartbeat. */
  private readonly connections = new Map<GatewayConnection, number>();
  private readonly room: Room;
  private readonly open;
  private readonly closes;

  constructor(
    private readonly config: AppConfig,
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
    private readonly readiness: Readiness,
    private readonly sessions: Sessions,
    private readonly frames: FrameService,
    metrics: Metrics,
  ) {
    this.room = new Room(config);
    this.open = metrics.gauge({
      name: 'hongbao_gateway_connections',
      help: 'Clients that are connected to the gateway of this process',
    });
    this.closes = metrics.counters({
      name: 'hongbao_gateway_closes_total',
      help: 'Gateway connections that have ended, by the code of their end; 1006: cut',
      label: 'code',
      values: CLOSE_LABELS,
    });
  }

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance();
    allowUpgrade(fastify.server, GATEWAY_PATH, this.config.BASE_PATH);
    // Before the guards: the token of a page is in a header that is only read from upgrades.
    fastify.addHook('onRequest', ({ raw, routeOptions }, _reply, done) => {
      const isOurs = routeOptions.url === GATEWAY_PATH;
      done(
        isOurs && !upgradeOf(raw) && hasLostUpgrade(raw.headers) ? upgradeRequired(OF_A_PROXY) : undefined,
      );
    });
    fastify.addHook('preClose', (done) => {
      this.leave();
      done();
    });
    this.server.on('wsClientError', (error) => {
      throw malformedRequest(`${error.message}.`);
    });
  }

  /**
   * Serves a client until one side ends the connection.
   *
   * @throws forbidden, upgradeRequired, invalidRequest, malformedRequest, gatewayUnavailable,
   *   tooManyConnections
   */
  serve(request: IncomingMessage, session: Session): void {
    this.requireRoom(session);
    requireHandshake(request.headers, this.config.CORS_ORIGINS);
    const upgrade = upgradeOf(request);
    if (!upgrade) throw upgradeRequired('Ask for a WebSocket.');
    this.server.handleUpgrade(request, upgrade.socket, upgrade.head, (socket) => this.add(socket, session));
    upgrade.response.detachSocket(upgrade.socket);
  }

  private requireRoom(session: Session): void {
    if (this.readiness.isLeaving)
      throw gatewayUnavailable('This server is shutting down.', { retryAfterSeconds: 1 });
    this.room.require(session);
  }

  private add(socket: WebSocket, session: Session): void {
    const connection = new GatewayConnection(socket, session, this.frames);
    this.connections.set(connection, performance.now() + BEAT_MS);
    this.room.take(session);
    this.open.set(this.connections.size);
    socket.on('close', (code) => this.remove(connection, code));
  }

  private remove(connection: GatewayConnection, code: number): void {
    this.connections.delete(connection);
    this.room.leave(connection.session);
    this.open.set(this.connections.size);
    this.closes[closeLabel(code)]!.inc();
  }

  @Repeats('Gateway', TICK_MS)
  async tick(): Promise<void> {
    const now = performance.now();
    const looks: Promise<void>[] = [];
    for (const [connection, beatAt] of this.connections) {
      if (isDue(connection.session.verified)) looks.push(this.lookAgain(connection));
      if (now < beatAt) continue;
      this.connections.set(connection, now + BEAT_MS);
      connection.beat();
    }
    await Promise.all(looks);
  }

  private async lookAgain(connection: GatewayConnection): Promise<void> {
    if (!(await this.sessions.isStillValid(connection.session))) connection.endToken();
  }

  /** Ends each connection at its own moment, answering frames until then. The server waits. */
  private leave(): void {
    const share = this.config.SHUTDOWN_TIMEOUT_MS * LEAVING_SHARE;
    const withinMs = Math.min(share, this.connections.size * LEAVING_MS_EACH);
    for (const connection of this.connections.keys())
      setTimeout(() => connection.leave(), Math.random() * withinMs);
  }
}
