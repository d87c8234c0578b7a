import { Controller, Module, Param, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiHeader } from '@nestjs/swagger';
import { defineProblem } from '../../../../libs/problem';
import { createDocument } from '../../../platform/http';
import {
  defineTapOption,
  describeTapOptions,
  isTapOption,
  type TapOptions,
  TapOptionsParam,
  tapOptionSchemas,
} from './tap-options';

@Controller('rains/:id')
class RainController {
  @Post()
  @ApiHeader({ name: 'Last' })
  tap(@Param('id') _id: string, @TapOptionsParam() _options: TapOptions): void {}
}

@Module({ controllers: [RainController] })
class RainModule {}

interface Named {
  readonly name: string;
}

async function describeTaps() {
  const adapter = new FastifyAdapter();
  const app = await NestFactory.create<NestFastifyApplication>(RainModule, adapter, {
    preview: true,
    logger: false,
  });
  const api = { title: 'Taps', description: '', version: '1', tags: [], describe: describeTapOptions };
  const { paths, components } = createDocument(app, api, 0);
  const { parameters, responses } = paths['/rains/{id}']!.post!;
  return { parameters: parameters as Named[], responses, shared: components!.responses! };
}

const namesOf = (parameters: readonly Named[]) => parameters.map(({ name }) => name);

const uninvited = defineProblem({ code: 'test.uninvited', status: 403, title: 'Not invited' });
const INVITATION = {
  header: 'Invitation',
  description: 'From the sponsor.',
  schema: { type: 'string', maxLength: 80 },
  problems: [uninvited],
};

describe('the options of a tap', () => {
  it('leave no trace in the API document and no field in a frame while none is defined', async () => {
    const { parameters, responses } = await describeTaps();
    expect(namesOf(parameters)).toEqual(['id', 'Last']);
    expect(responses).not.toHaveProperty('403');
    expect([tapOptionSchemas(), isTapOption('invitation')]).toEqual([{}, false]);
  });

  it('are headers of requests with their problems, at a fixed place, and fields of frames', async () => {
    defineTapOption(INVITATION);
    const { parameters, responses, shared } = await describeTaps();
    expect(namesOf(parameters)).toEqual(['id', 'Invitation', 'Last']);
    expect(parameters[1]).toEqual({
      name: 'Invitation',
      in: 'header',
      required: false,
      description: INVITATION.description,
      schema: INVITATION.schema,
    });
    expect(responses[403]).toEqual({ $ref: '#/components/responses/Forbidden' });
    expect(shared.Forbidden).toMatchObject({ description: 'Forbidden: `test.uninvited`' });
    expect([tapOptionSchemas(), isTapOption('invitation')]).toEqual([
      { invitation: INVITATION.schema },
      true,
    ]);
    expect(() => defineTapOption(INVITATION)).toThrow('The option invitation of a tap is defined twice.');
  });
});
