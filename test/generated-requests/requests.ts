/** Requests made from the OpenAPI document: most of them nearly valid, on what the hub has, by every kind of caller. */
import { gzipSync } from 'node:zlib'
import { allOperations, type Operation } from '../support/documented.ts'
import type { Json } from '../support/hub.ts'
import type { Dice } from './dice.ts'
import { changed, jsonText, type Kind, type Known, madeValue } from './json-values.ts'
import { knownTo } from './known-values.ts'
import type { Caller, Lab, SentUpload } from './lab.ts'
import type { Held } from './learn.ts'
import { readyFor } from './ready-work.ts'
import type { Made } from './send.ts'

interface Route {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** What a request is about; a maker of an operation may set some of it. */
interface Draft {
  caller: Caller
  params: Record<string, string>
  body: unknown
}

const zero = '0'.repeat(26)

/** A request of any operation. */
export function makeRequest(lab: Lab, dice: Dice): Made {
  const route = dice.pick(allOperations)
  const kind = dice.weighted<Kind>([
    [60, 'valid'],
    [23, 'edge'],
    [17, 'broken'],
  ])
  return made(lab, dice, route, kind)
}

function made(lab: Lab, dice: Dice, route: Route, kind: Kind): Made {
  const { operation } = route
  const known = knownTo(lab)
  const where = kind === 'valid' ? 'nowhere' : dice.pick(['body', 'body', 'body', 'query', 'path', 'headers'])
  const draft: Draft = { caller: lab.caller(dice), params: paramsOf(lab, dice, route), body: undefined }
  draft.body = bodyOf(lab, dice, route, where === 'body' ? kind : 'valid', known)
  fit(lab, dice, route, draft)
  if (where === 'path') {
    const names = Object.keys(draft.params)
    if (names.length > 0)
      draft.params[dice.pick(names)] = String(madeValue({ type: 'string' }, 'edge', dice, () => undefined))
  }
  const path = route.path.replace(/\{(\w+)\}/g, (_, name) => inPath(draft.params[name] ?? '', name, dice))
  const query = queryOf(lab, dice, route, where === 'query' ? kind : 'valid')
  const headers: Record<string, string> = { ...draft.caller.headers }
  const body = bytesOf(dice, operation, draft.body, headers, where === 'body' && kind === 'broken')
  Object.assign(headers, headersOf(lab, dice, operation, where === 'headers'))
  const isRead = route.method === 'GET'
  const method = isRead && dice.chance(0.03) ? 'HEAD' : route.method
  return { operation: operation.operationId, caller: draft.caller.name, method, path, query, headers, body }
}

/** Percent-encoded, with half of a surrogate pair as the bytes that it would have. */
function encoded(text: string): string {
  return [
    ...Buffer.from(
      text.replace(/[\ud800-\udfff](?![\udc00-\udfff])/g, (half) => (/[\ud800-\udbff]/.test(half) ? '\u0000' : half)),
    ),
  ]
    .map((byte) =>
      /[\w.~:-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('')
}

function inPath(text: string, name: string, dice: Dice): string {
  // A few bytes that are not UTF-8 and signs that are not an encoding.
  if (dice.chance(0.004)) return dice.pick(['%ff', '%', '%zz', '%ed%a0%80', '%c0%80'])
  const path = encoded(text)
  return name === 'path' ? path.replaceAll('%2f', '/') : path
}

/** Values of the path, of things that are there. */
function paramsOf(lab: Lab, dice: Dice, { path }: Route): Record<string, string> {
  const kind = path.startsWith('/v1/models/')
    ? 'model'
    : path.startsWith('/v1/datasets/')
      ? 'dataset'
      : path.startsWith('/v1/robots/')
        ? 'robot'
        : null
  const wanted = kind !== null && dice.chance(0.85) ? kind : dice.pick(['dataset', 'dataset', 'robot', 'model'])
  const [owner = '', repo = ''] = (lab.things.pick(`${wanted} repo`, dice) ?? 'nobody/nothing').split('/')
  const id = (prefix: string) => (dice.chance(0.96) ? lab.things.pick(prefix, dice) : undefined) ?? `${prefix}_${zero}`
  return {
    owner,
    repo: dice.chance(0.97) ? repo : 'nothing',
    run_id: id('run'),
    check_id: id('check'),
    endpoint_id: id('ep'),
    session_id: id('esess'),
    hold_id: id('spend'),
    upload_id: lab.things.pick('upload_id', dice) ?? 'x',
    name: lab.things.pick('snapshot', dice) ?? 'first',
    path: lab.things.pick('path', dice) ?? 'a.txt',
    film_id: id('film'),
    rollout_id: id('roll'),
    fingerprint: '0'.repeat(64),
  }
}

/** A request for something hidden, and the same for something that is not there; null of an operation that names nothing. */
export function makeTwins(lab: Lab, dice: Dice): readonly [hidden: Made, absent: Made] | null {
  const route = dice.pick(allOperations)
  const names = Object.keys(lab.hidden).filter((name) => route.path.includes(`{${name}}`))
  if (names.length === 0) return null
  const asked = made(lab, dice, route, dice.pick<Kind>(['valid', 'valid', 'edge', 'broken']))
  const { 'idempotency-key': _, ...headers } = asked.headers
  const segments = asked.path.split('/')
  const about = (value: (name: string) => string) => {
    const path = route.path.split('/').map((part, at) => {
      const name = part.slice(1, -1)
      return part.startsWith('{') && names.includes(name) ? value(name) : (segments[at] ?? '')
    })
    return { ...asked, headers, path: [...path, ...segments.slice(path.length)].join('/') }
  }
  const absent = (name: string) => {
    const hidden = lab.hidden[name] as string
    return name === 'owner' ? hidden : hidden.replace(/.{6}$/, () => zero.slice(0, 6))
  }
  return [about((name) => lab.hidden[name] as string), about(absent)]
}

/** A body that was accepted before, or one of the schema. */
function bodyOf(lab: Lab, dice: Dice, { operation }: Route, kind: Kind, known: Known): unknown {
  const schema = operation.requestBody?.content['application/json']?.schema
  // A verb without a body takes none, or an empty one.
  if (!schema)
    return dice.chance(kind === 'valid' ? 0.04 : 0.3) ? dice.pick<unknown>([{}, { x: 1 }, [], null]) : undefined
  const good = lab.goodBodies.get(operation.operationId)
  const body =
    good && good.length > 0 && dice.chance(0.65)
      ? changed(dice.pick(good), schema, kind, dice, known)
      : madeValue(schema, kind, dice, known)
  return kind === 'valid' ? withContents(lab, dice, body) : dice.chance(0.6) ? withContents(lab, dice, body) : body
}

/** Files have the size and the digest of bytes that the hub is sent. */
function withContents(lab: Lab, dice: Dice, body: unknown): unknown {
  const { files } = (body ?? {}) as { readonly files?: unknown }
  if (!Array.isArray(files)) return body
  const filled = files.map((file: Json) => {
    if (typeof file !== 'object' || file === null || !('sha256' in file) || !dice.chance(0.9)) return file
    const { size, sha256 } = dice.pick(lab.contents)
    const folder = dice.pick(['', 'data/', 'meta/'])
    const path = dice.chance(0.7) ? `${folder}f${dice.below(40)}.bin` : file.path
    return {
      ...file,
      path,
      size,
      sha256,
      ...(dice.chance(0.8) && { part_size: undefined, if_match: undefined, if_none_match: undefined }),
    }
  })
  return { ...(body as object), files: filled }
}

const endsThings = /^(?:delete|purge|stop|cancel|deny|approve|restore|abort)/

/** What ends things is asked for those that requests made, so that the others are there to the end. */
function spare(lab: Lab, dice: Dice, params: Record<string, string>): void {
  const { things } = lab
  const kinds = { run_id: 'run', check_id: 'check', endpoint_id: 'ep', hold_id: 'spend' }
  for (const [name, kind] of Object.entries(kinds)) params[name] = things.pickNew(kind, dice) ?? `${kind}_${zero}`
  const [owner = 'nobody', repo = 'nothing'] =
    things.pickNew(`${dice.pick(['dataset', 'robot', 'model'])} repo`, dice)?.split('/') ?? []
  Object.assign(params, { owner, repo })
}

const heldKind = (operation: string) =>
  /RobotCheck/.test(operation)
    ? 'check'
    : operation === 'reportEndpoint'
      ? 'endpoint'
      : /Run|Gate/.test(operation)
        ? 'run'
        : null

/** What belongs together: an upload and its repo, a job and who claimed it. */
function fit(lab: Lab, dice: Dice, { operation }: Route, draft: Draft): void {
  const { operationId } = operation
  const { params } = draft
  if (endsThings.test(operationId)) spare(lab, dice, params)
  if (dice.chance(0.25)) return
  const ready = readyFor(lab, operationId)
  if (ready) {
    Object.assign(params, ready.params)
    draft.caller = ready.caller
    if (ready.body !== undefined && dice.chance(0.8)) draft.body = ready.body
    return
  }
  if (operationId === 'completeUpload' || operationId === 'abortUpload') {
    const sent = lab.things.pick<SentUpload>('sent upload', dice)
    if (!sent) return
    const [owner = '', repo = ''] = sent.repo.split('/')
    Object.assign(params, { owner, repo, upload_id: sent.upload.upload_id })
    draft.caller = sent.caller
    if (operationId === 'completeUpload' && dice.chance(0.8)) draft.body = { uploads: [sent.upload] }
    return
  }
  const kind =
    /^(?:report|record)/.test(operationId) || operationId.startsWith('presignRobot') ? heldKind(operationId) : null
  const held = kind && lab.things.pick<Held>(`held ${kind}`, dice)
  if (held) {
    params[`${kind}_id`] = held.id
    draft.caller = held.caller
  }
  const claimed = { claimRun: 'run', claimRobotCheck: 'check', claimEndpoint: 'endpoint' }[operationId]
  if (claimed) {
    params[`${claimed}_id`] = lab.things.pick(`free ${claimed}`, dice) ?? 'x'
    draft.caller = lab.named('train key')
  }
  if (/Endpoint$/.test(operationId) && /^(?:create|estimate)/.test(operationId)) draft.caller = lab.named('owner')
  if (operationId === 'restoreState') {
    const [owner = '', repo = ''] = (lab.things.pick('spare repo', dice) ?? 'nobody/nothing').split('/')
    Object.assign(params, { owner, repo })
  }
  if (operationId === 'cancelSpendHold') draft.caller = lab.named('agent key')
  if (operationId === 'publishRobotCheck') {
    params.check_id = lab.things.pick('publishable', dice) ?? params.check_id ?? ''
    draft.caller = lab.named('owner')
  }
  if (operationId === 'deleteSnapshot' || operationId === 'getSnapshot') {
    const snapshot = lab.things.pick<{ repo: string; name: string }>('made snapshot', dice)
    const [owner = '', repo = ''] = snapshot?.repo.split('/') ?? []
    if (snapshot) Object.assign(params, { owner, repo, name: snapshot.name })
  }
  if (/^(?:deleteSnapshot|getSnapshot|stopEndpoint|deleteRepo|deleteRun)$/.test(operationId) && dice.chance(0.5))
    draft.caller = lab.named('owner')
  if (operationId === 'reportEndpointSession') {
    const open = lab.things.pick<{ endpointId: string; sessionId: string }>('open session', dice)
    if (open) Object.assign(params, { endpoint_id: open.endpointId, session_id: open.sessionId })
  }
  if (/approve|deny/.test(operationId)) draft.caller = lab.named('owner')
  if (operationId === 'openEndpointSession' || operationId === 'reportEndpointSession')
    draft.caller = lab.named(dice.pick(['owner', 'train key']))
  if (operationId === 'redeemDeviceLogin' && draft.body && dice.chance(0.8))
    draft.body = { device_code: lab.things.pick('approved code', dice) ?? 'x' }
  if (operationId === 'openEndpointSession') {
    const opened = lab.things.pick<Json>('approved', dice)
    if (opened) {
      params.endpoint_id = opened.endpointId
      draft.body = { device_id: opened.deviceId, approval_token: opened.token }
    }
  }
}

function queryOf(lab: Lab, dice: Dice, { operation }: Route, kind: Kind): (readonly [string, string])[] {
  const all = (operation.parameters ?? []).filter((one) => one.in === 'query')
  const given = all.filter(({ required }) => required || dice.chance(0.3))
  const odd = dice.below(Math.max(1, given.length))
  const known = knownTo(lab)
  const query = given.flatMap(({ name, schema }, at): (readonly [string, string])[] => {
    const value = madeValue(schema, kind !== 'valid' && at === odd ? kind : 'valid', dice, known, name, 1)
    // A stream that nobody ends is read for a moment only.
    return [value]
      .flat()
      .map(
        (one) => [name, encoded(typeof one === 'object' && one !== null ? JSON.stringify(one) : String(one))] as const,
      )
  })
  if (kind === 'broken' && dice.chance(0.3))
    query.push(
      dice.pick([
        ['unknown', '1'],
        ['__proto__', 'x'],
        ['limit', 'x'],
        ['', ''],
        ['a[b]', '%00'],
        ['limit', '%ff'],
      ] as const),
    )
  if (kind === 'edge' && query.length > 0 && dice.chance(0.2)) query.push(query[0] as readonly [string, string])
  return query
}

function headersOf(lab: Lab, dice: Dice, { parameters = [] }: Operation, isOdd: boolean): Record<string, string> {
  const headers: Record<string, string> = {}
  const takes = (name: string) => parameters.some((one) => one.in === 'header' && one.name === name)
  if (takes('Idempotency-Key') && dice.chance(0.3)) headers['idempotency-key'] = `k${dice.below(400)}`
  if (takes('If-None-Match') && dice.chance(0.15)) headers['if-none-match'] = lab.things.pick('etag', dice) ?? '*'
  if (takes('Last-Event-ID') && dice.chance(0.3)) headers['last-event-id'] = lab.things.pick('cursor', dice) ?? '1'
  if (!isOdd) return headers
  const odd: readonly (readonly [string, string])[] = [
    ['idempotency-key', dice.pick(['', ' ', 'x'.repeat(255), 'x'.repeat(256), '\u00e9', 'a b'])],
    ['if-none-match', dice.pick(['', '"', '*', 'W/"x"', '"a", "b"', 'x'.repeat(5000)])],
    ['if-match', '"x"'],
    ['range', dice.pick(['bytes=0-1', 'bytes=9-1', 'bytes=-0', 'lines=1', 'bytes=99999999999999999999-'])],
    ['accept', dice.pick(['text/html', 'application/xml', '*/*;q=0', 'image/png', '', ','])],
    ['accept-language', 'xx-\u00e9;q=9'],
    [
      'content-type',
      dice.pick([
        'text/plain',
        'application/xml',
        'application/json; charset=utf-16',
        'multipart/form-data; boundary=x',
        '',
        'application/json;',
        'APPLICATION/JSON',
      ]),
    ],
    ['content-encoding', dice.pick(['gzip', 'br', 'identity', 'x'])],
    ['last-event-id', dice.pick(['', '-1', 'x', '9'.repeat(40), '\u00e9', 'a:b:c'])],
    ['origin', dice.pick(['null', 'https://evil.example', 'x'])],
    ['x-request-id', dice.pick(['', 'a', 'x'.repeat(300), 'a b', '../..', '\u00e9'])],
    ['x-forwarded-for', '1.2.3.4, x'],
    ['x-http-method-override', 'DELETE'],
    ['traceparent', '00-zz-zz-01'],
    ['cookie', 'hub_session=; a=b; hub_session=x'],
    ['expect', '200-ok'],
  ]
  const [name, value] = dice.pick(odd)
  headers[name] = value
  return headers
}

/** The bytes of a body, and its headers; broken ones are not JSON, of another type, or cut. */
function bytesOf(
  dice: Dice,
  operation: Operation,
  body: unknown,
  headers: Record<string, string>,
  isBroken: boolean,
): string | Buffer | null {
  if (body === undefined) {
    if (operation.requestBody?.required && dice.chance(0.5)) headers['content-type'] = 'application/json'
    return null
  }
  if (Buffer.isBuffer(body)) {
    headers['content-type'] = 'application/x-tar'
    return isBroken ? body.subarray(0, dice.below(body.length)) : body
  }
  headers['content-type'] = 'application/json'
  const text = jsonText(body)
  if (isBroken && dice.chance(0.25))
    return dice.pick<() => string | Buffer>([
      () => text.slice(0, dice.below(text.length)),
      () => `${text},`,
      () => '',
      () => `\ufeff${text}`,
      () => Buffer.from(text, 'utf16le'),
      () => gzipSync(text),
      () => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe]), Buffer.from('}')]),
      () => text.replace(/"/g, "'"),
      () => text.replace('{', '{"a":1,"a":2,'),
      () => '['.repeat(50_000),
      () => `{"a":${'9'.repeat(2000)}}`,
      () => '{"\\u0000":"\\ud800"}',
      () => `"${'x'.repeat(2 * 1024 * 1024)}"`,
      () => 'null',
    ])()
  if (isBroken && dice.chance(0.06))
    headers['content-type'] = dice.pick(['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream'])
  if (isBroken && dice.chance(0.05)) return text.replace(/:(\d+)/, ':1e999')
  return text
}
