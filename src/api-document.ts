import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ApiModule } from './api.module';
import { apiDescription } from './api-description';
import { AppConfig } from './platform/config';
import { createDocument, createFastifyAdapter } from './platform/http';

/**
 * Returns the document that an API of this source serves, without settings and engines.
 * @param nowMs the moment of its examples
 */
export async function apiDocument(nowMs: number, openApi?: '3.1.0' | '3.0.3'): Promise<OpenAPIObject> {
  const config = new AppConfig();
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiModule.forRoot(config),
    createFastifyAdapter(config),
    { preview: true, logger: false, abortOnError: false },
  );
  return createDocument(app, apiDescription, nowMs, openApi);
}
