import type { OpenAPIObject } from '@nestjs/swagger';
import { idSchema } from '../../platform/http';
import { tapOptionSchemas } from '../../core/grab';
import { eventKinds, eventNames } from '../../core/news';
import { EVENT_ID } from '../notification';
import { CLOSE } from './close-code';
import { FRAME_BYTES_MAX, FRAME_ID, WATCHED_MAX } from './frame';
import { UNANSWERED_MAX } from './gateway-connection';
import { GATEWAY_PATH } from './gateway';
import { PROTOCOL } from './handshake';
import { schemasBehind } from './schemas-behind';

const FRAME = { id: { type: 'string', pattern: FRAME_ID.source } };
const POSITION = { type: 'string', pattern: EVENT_ID.source };
const WATCHED = { type: 'array', items: idSchema, maxItems: WATCHED_MAX };

const object = (properties: object, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const schemaOf = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const ask = (op: string, fields: object, required: readonly string[]) =>
  object({ ...FRAME, op: { type: 'string', const: op }, ...fields }, ['id', 'op', ...required]);

/** `body`, or the problem that a request would be answered with. */
const answerSchema = (body: object) =>
  object(
    {
      id: { type: ['string', 'null'], description: 'Null if the `id` of the frame cannot be used.' },
      status: { type: 'integer', minimum: 200, maximum: 599, description: 'As over HTTP.' },
      body: { anyOf: [body, schemaOf('ProblemDto')] },
      retryAfter: { type: 'integer', minimum: 1, description: 'Seconds, as in `Retry-After`.' },
    },
    ['id', 'status', 'body'],
  );

const news = (event: string, data: object) =>
  object({ event: { type: 'string', const: event }, eventId: POSITION, data }, ['event', 'eventId', 'data']);

const message = (title: string, payload: object, example: object) => ({
  name: title,
  title,
  payload,
  examples: [{ payload: example }],
});

const POSITIONED = { eventId: '1924992000123456' };

const messages = () => ({
  grab: message('grab', ask('grab', { activityId: idSchema, ...tapOptionSchemas() }, ['activityId']), {
    id: '7',
    op: 'grab',
    activityId: '1',
  }),
  grabAnswer: message('grabAnswer', answerSchema(schemaOf('GrabDto')), {
    id: '7',
    status: 200,
    body: { code: '0', redPacketId: '10000042', amount: '7.10' },
  }),
  watch: message(
    'watch',
    ask('watch', { activityIds: WATCHED, lastEventId: POSITION, ...tapOptionSchemas('activity') }, []),
    { id: '8', op: 'watch', activityIds: ['1'], lastEventId: '1924992000000000' },
  ),
  watchAnswer: message(
    'watchAnswer',
    answerSchema(object({ activityIds: WATCHED, eventId: POSITION }, ['activityIds', 'eventId'])),
    { id: '8', status: 200, body: { activityIds: ['1'], ...POSITIONED } },
  ),
  ping: message('ping', ask('ping', {}, []), { id: '9', op: 'ping' }),
  pingAnswer: message('pingAnswer', answerSchema(object({}, [])), { id: '9', status: 200, body: {} }),
  ...Object.fromEntries(
    eventKinds().flatMap(({ data: { name }, examples }) =>
      Object.entries(examples).map(([event, data]) => [
        event,
        message(event, news(event, schemaOf(name)), { event, ...POSITIONED, data }),
      ]),
    ),
  ),
  resync: message('resync', news('resync', object({}, [])), { event: 'resync', ...POSITIONED, data: {} }),
});

const CHANNEL = { $ref: '#/channels/gateway' };
const messageAt = (name: string) => ({ $ref: `#/channels/gateway/messages/${name}` });

const asked = (op: string, summary: string) => ({
  action: 'receive',
  channel: CHANNEL,
  summary,
  messages: [messageAt(op)],
  reply: { channel: CHANNEL, messages: [messageAt(`${op}Answer`)] },
});

/** Describes the gateway's frames, with the bodies and events of the API document. */
export function asyncApi({ info, components }: OpenAPIObject): object {
  const described = {
    asyncapi: '3.0.0',
    info: { ...info, title: `${info.title}: the gateway`, description: DESCRIPTION },
    defaultContentType: 'application/json',
    channels: {
      gateway: {
        address: GATEWAY_PATH,
        description: 'One WebSocket for the taps and the events of a player.',
        messages: messages(),
        bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
      },
    },
    operations: {
      grab: asked(
        'grab',
        'Grab a packet. The frame may be repeated freely: the packet of a user never changes.',
      ),
      watch: asked(
        'watch',
        'Receive my events and those of these activities. The list replaces the previous one.',
      ),
      ping: asked('ping', 'Check the connection. The server sends pings of its own as well.'),
      news: {
        action: 'send',
        channel: CHANNEL,
        summary: 'An event. `resync`: events may have been missed, so read the current state.',
        messages: [...eventNames(), 'resync'].map(messageAt),
      },
    },
  };
  return { ...described, components: { schemas: schemasBehind(described, components?.schemas ?? {}) } };
}

const DESCRIPTION =
  `Open a WebSocket at \`${GATEWAY_PATH}\` with the subprotocol \`${PROTOCOL}\` and a token in \`Authorization\`. Browsers send ` +
  'the token as a second subprotocol, `bearer.<token>`. A frame is the text of one JSON object, from clients at most ' +
  `${FRAME_BYTES_MAX} bytes. An answer has the \`id\` of its frame, and the status and body that an HTTP request would have. ` +
  `At most ${UNANSWERED_MAX} frames of a connection may be unanswered. The limits of users and addresses are those of HTTP, ` +
  'and each frame counts as a request.\n\n' +
  'The server ends a connection with one of these codes: ' +
  `${CLOSE.leaving} the server is leaving, reconnect after a random delay; ${CLOSE.noFrame} not a frame; ${CLOSE.noText} not ` +
  `text; ${CLOSE.notOurProtocol} not this protocol; ` +
  `${CLOSE.tooLarge} frame too large; ${CLOSE.tokenEnded} token ended; ${CLOSE.tooMany} too many frames or ` +
  'pings. Frames without an answer may be sent again.';
