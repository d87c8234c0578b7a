import 'reflect-metadata';
import { createServer } from 'node:http';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Controller, Get, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadConfig } from '../../src/platform/config';
import {
  configureHttp,
  createFastifyAdapter,
  RequestChecks,
  HttpMetrics,
  RateLimits,
  TokenVerifier,
} from '../../src/platform/http';
import { Metrics } from '../../src/platform/telemetry';

/** An answer as long as that to a winner. */
const ANSWER = { code: '0', redPacketId: '10000042', amount: '7.10' };

@Controller()
class NoopController {
  @Post('noop')
  @HttpCode(200)
  answer(): typeof ANSWER {
    return ANSWER;
  }

  /** Answers the requests of one turn together, like grabs that share a call of Redis. */
  @Post('noop-together')
  @HttpCode(200)
  async answerTogether(): Promise<typeof ANSWER> {
    await endOfTurn();
    return ANSWER;
  }

  @Get('health/ready')
  ready(): object {
    return {};
  }
}

@Module({ controllers: [NoopController] })
class NoopModule {}

/** The product's server: its limits, headers and hooks; no guards, no modules. */
async function productServer(port: number): Promise<void> {
  const config = loadConfig(process.env);
  const app = await NestFactory.create<NestFastifyApplication>(NoopModule, createFastifyAdapter(config), {
    logger: false,
  });
  const [limits, tokens] = [new RateLimits(config), new TokenVerifier(config)];
  configureHttp(app, new RequestChecks(config, limits, tokens, new HttpMetrics(new Metrics())));
  await app.listen(port);
}

async function plainNestServer(port: number): Promise<void> {
  const options = { logger: false } as const;
  const app = await NestFactory.create<NestFastifyApplication>(NoopModule, new FastifyAdapter(), options);
  await app.listen(port);
}

/** A server of Node alone: it reads the body, and replies to the requests of one turn together. */
function nodeServer(port: number): void {
  const answer = JSON.stringify(ANSWER);
  const headers = { 'content-type': 'application/json', 'content-length': answer.length };
  createServer((request, reply) => {
    request.resume();
    request.once('end', () => setImmediate(() => reply.writeHead(200, headers).end(answer)));
  }).listen(port);
}

const SERVERS = { product: productServer, nest: plainNestServer, node: nodeServer };
export type NoopKind = keyof typeof SERVERS;

const { NOOP_SERVER, PORT } = process.env;
void SERVERS[NOOP_SERVER as NoopKind](Number(PORT));
