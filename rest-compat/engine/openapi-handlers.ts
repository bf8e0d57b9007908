/** The OpenAPI entries of `/v1` operations without a document: handlers over the same verbs, mounted by the server. */
import type { JsonSchema } from './openapi-schemas.ts'

const text = { type: 'string' }
const problem = (description: string): JsonSchema => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})
const segment = (name: string, description: string): JsonSchema => ({
  name,
  in: 'path',
  required: true,
  schema: text,
  description,
})
const everywhere = {
  '400': problem('Malformed request'),
  '401': problem('Credential missing, Credential invalid'),
  '408': problem('Request timeout'),
  '429': problem('Too many requests'),
  '431': problem('Headers too large'),
  '500': problem('Internal error'),
  '503': problem('Object store not configured, Temporarily unavailable'),
}

const resolveFile: JsonSchema = {
  operationId: 'resolveFile',
  summary: 'A stable address of a file',
  description:
    'Redirects to a presigned URL of the current file, or of the file in a state, so that `curl -L`, a viewer or a browser can read it.\n\nScope: `none`.',
  tags: ['repos'],
  security: [{}, { bearer: [] }, { session: [] }],
  'x-scope': 'none',
  parameters: [
    segment('owner', 'Handle of the owner.'),
    segment('repo', 'Slug of the repo.'),
    segment('path', 'Path of the file; `/` is not escaped.'),
    { name: 'at', in: 'query', schema: text, description: 'A state of the repo, as in `GET …/tree`.' },
    { name: 'If-None-Match', in: 'header', schema: text, description: '304 if the ETag still matches.' },
  ],
  responses: {
    '302': {
      description: 'Redirect to the presigned URL, which is valid for one hour.',
      headers: {
        Location: { schema: { type: 'string', format: 'uri' }, required: true },
        ETag: { schema: text, description: 'The SHA-256, once the hub has computed it.' },
      },
    },
    '304': { description: 'Not modified: the ETag still matches.' },
    '403': problem('Not allowed'),
    '404': problem('Not found'),
    '422': problem('Invalid file path'),
    ...everywhere,
  },
}

const signingKey: JsonSchema = {
  operationId: 'getSigningKey',
  summary: "The hub's public signing key",
  description: "A JSON Web Key (RFC 8037) that verifies the hub's current signatures.\n\nScope: `none`.",
  tags: ['devices'],
  security: [{}, { bearer: [] }, { session: [] }],
  'x-scope': 'none',
  responses: {
    '200': {
      description: 'The key.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              kty: { const: 'OKP' },
              crv: { const: 'Ed25519' },
              x: text,
              kid: text,
              alg: { const: 'EdDSA' },
              use: { const: 'sig' },
            },
            required: ['kty', 'crv', 'x', 'kid', 'alg', 'use'],
          },
        },
      },
    },
    ...everywhere,
  },
}

const flag = (name: string, description: string): JsonSchema => ({
  name,
  in: 'query',
  schema: { type: 'boolean', default: false },
  description,
})
const stripAnsi = flag('strip_ansi', 'Remove ANSI escape sequences from every line.')
const refusalsOfLog = {
  '403': problem('Not allowed'),
  '404': problem('Not found'),
  '422': problem('Validation failed, Invalid value'),
  '502': problem('Stored object lost'),
  ...everywhere,
}

/** The two operations on the log of a kind of job, as the document says them. */
interface LogWords {
  readonly tag: string
  readonly noun: string
  /** The name of the id in the path. */
  readonly id: string
  readonly stream: string
  readonly download: string
  /** Whether the stream has metrics beside the log. */
  readonly hasMetrics: boolean
}

function logOperations({ tag, noun, id, stream, download, hasMetrics }: LogWords) {
  const ofLog = { tags: [tag], security: [{ bearer: [] }, { session: [] }], 'x-scope': 'key:read' }
  const job = segment(id, `Id of the ${noun}.`)
  const metricEvent = hasMetrics ? ' `metric` with the line of the trainer,' : ''
  const follow: JsonSchema = {
    ...ofLog,
    operationId: stream,
    summary: hasMetrics ? `Live log and metrics of a ${noun}` : `Live log of a ${noun}`,
    description: `Server-Sent Events: \`log\` with \`{ts, stream, line}\` for each line,${metricEvent} and \`end\` with \`{status}\`, which closes the stream. Each has an \`id\`; a client that reconnects with it as \`Last-Event-ID\` resumes after it. A client that reads too slowly is disconnected, and can resume.\n\nScope: \`key:read\`.`,
    parameters: [
      job,
      flag('follow', `Keep the stream open while the ${noun} is queued or running.`),
      {
        name: 'tail',
        in: 'query',
        schema: { type: 'integer', minimum: 0 },
        description: `Only this many of the last lines of the log${hasMetrics ? '; metrics are always complete' : ''}.`,
      },
      stripAnsi,
      { name: 'Last-Event-ID', in: 'header', schema: text, description: 'The `id` of the last event received.' },
    ],
    responses: {
      '200': { description: 'The events.', content: { 'text/event-stream': { schema: text } } },
      ...refusalsOfLog,
    },
  }
  const whole: JsonSchema = {
    ...ofLog,
    operationId: download,
    summary: `The log of a ${noun} as plain text`,
    description: 'All chunks in order of arrival; empty if there are none.\n\nScope: `key:read`.',
    parameters: [job, stripAnsi],
    responses: {
      '200': {
        description: 'The log.',
        headers: { 'Content-Disposition': { schema: text, required: true } },
        content: { 'text/plain': { schema: text } },
      },
      ...refusalsOfLog,
    },
  }
  return { follow, whole }
}

const logOfRun = logOperations({
  tag: 'runs',
  noun: 'run',
  id: 'run_id',
  stream: 'streamRunLogs',
  download: 'downloadRunLog',
  hasMetrics: true,
})
const logOfCheck = logOperations({
  tag: 'robot-checks',
  noun: 'check',
  id: 'check_id',
  stream: 'streamRobotCheckLogs',
  download: 'downloadRobotCheckLog',
  hasMetrics: false,
})

/** By path, as in the document's `paths`. */
export const handlerPaths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> = {
  '/v1/repos/{owner}/{repo}/resolve/{path}': { get: resolveFile },
  '/v1/devices/signing-key': { get: signingKey },
  '/v1/runs/{run_id}/logs': { get: logOfRun.follow },
  '/v1/runs/{run_id}/logs/download': { get: logOfRun.whole },
  '/v1/robot-checks/{check_id}/logs': { get: logOfCheck.follow },
  '/v1/robot-checks/{check_id}/logs/download': { get: logOfCheck.whole },
}
