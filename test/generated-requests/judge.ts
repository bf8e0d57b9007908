/** What is wrong with an answer of `/v1`, by its OpenAPI document and the contract. */
import { errorTable } from '../../src/platform/errors.ts'
import { isDocumentedBody, operationOf, undocumented } from '../support/documented.ts'
import { misplaced } from '../support/places.ts'
import type { Lab } from './lab.ts'
import { type Got, type Made, urlOf } from './send.ts'

/** 5xx that this lab may have: nothing of it is lost, and its database answers. */
const allowedServerErrors = /^\/problems\/(?:not_configured\.\w+|not_supported)$/
/** Streams and files of the log have the bytes that a runner sent. */
const showsLogs = /Logs?$/

const leaks: readonly (readonly [what: string, RegExp])[] = [
  ['a stack trace', /\n\s+at |\bat \S+ \(\S+:\d+:\d+\)/],
  ['a path of the file system', /\/node_modules\/|file:\/\/\/|\/(?:home|root|work|dev\/shm|tmp)\/\w/],
  [
    'SQL',
    /violates \w+(?:-\w+)? constraint|syntax error at or near|relation "\w+" does not|column "?[\w.]+"? (?:does not|of relation)/,
  ],
  [
    'what the hub is made of',
    /\bprisma\b|PrismaClient|\bfastify\b|FST_ERR|\bpostgres(?:ql)?\b|TypeError|ReferenceError|Cannot read prop/i,
  ],
  ['a value that is none', /\[object Object\]|\bundefined\b|\bNaN\b/],
]

/** Of any body, in both dialects. What the client sent itself may be quoted. */
export function leaked(text: string, sent: string, secrets: readonly string[]): string[] {
  const found = leaks.flatMap(([what, pattern]) => {
    const match = pattern.exec(text)
    return match && !sent.includes(match[0]) ? [`the body has ${what}: ${match[0]}`] : []
  })
  const secret = secrets.find((one) => text.includes(one) && !sent.includes(one))
  return secret ? [...found, `the body has a credential: ${secret.slice(0, 12)}…`] : found
}

/** Texts within an answer that are not Unicode, or have a NUL. */
export function brokenTexts(value: unknown, depth = 0): string[] {
  if (typeof value === 'string')
    return !value.isWellFormed() || value.includes('\u0000') ? [JSON.stringify(value).slice(0, 80)] : []
  if (typeof value !== 'object' || value === null || depth > 1000) return []
  return Object.entries(value).flatMap(([name, inner]) => [...brokenTexts(name), ...brokenTexts(inner, depth + 1)])
}

/** What a path that leads to no operation may be answered with. */
const NOWHERE: readonly number[] = [404, 405, 400, 414, 308]

/** A read by the name that a repo had before it was moved: the document says it once, of all operations. */
const MOVED = 308

/** It leads to the same request of a repo of another name, and says nothing else. */
function movedFaults(url: string, { headers, text }: Got): string[] {
  const place = /^(\/v1\/[\w-]+)\/[^/?]+\/[^/?]+/
  const location = headers.get('location') ?? ''
  const isSame = place.test(url) && location !== url && location.replace(place, '$1') === url.replace(place, '$1')
  return isSame && text === '' ? [] : [`headers: ${url} is said to have moved to ${location}`]
}

/** All faults of an answer; none if it is as documented. The first word of each says of what kind it is. */
export function faultsOf(lab: Pick<Lab, 'secrets'>, made: Made, got: Got): string[] {
  const method = made.method === 'HEAD' ? 'GET' : made.method
  const url = urlOf(made)
  const sent = `${url} ${made.body ?? ''} ${JSON.stringify(made.headers)}`
  const faults: string[] = []
  const { status, headers, text, json } = got
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  if (got.fault) faults.push(got.fault)
  if (status === 0) return faults
  faults.push(...leaked(text, sent, lab.secrets).map((fault) => `leak: ${fault}`))
  if (!showsLogs.test(made.operation))
    faults.push(
      ...brokenTexts(json)
        .slice(0, 2)
        .map((one) => `text: ${one} is not text`),
    )
  if (status >= 500 && !allowedServerErrors.test(json?.type ?? '')) faults.push(`status: ${status} ${json?.type ?? ''}`)
  if (!headers.get('x-request-id')) faults.push('headers: there is no x-request-id')
  // No operation of the document: those that follow a log have none.
  if (made.method === 'HEAD' && status === 405) return faults
  const operation = operationOf(method, url)?.operation
  // Odd values of the path may lead to another operation, or to none.
  if (!operation) {
    const { authorization } = made.headers
    // A wrong credential is refused wherever it is sent, and a right one nowhere.
    const isWrong = authorization !== undefined && !lab.secrets.some((secret) => authorization.includes(secret))
    if (!NOWHERE.includes(status) && !(isWrong && status === 401))
      faults.push(`status: ${status} of a path that is not documented`)
    if (status >= 400 && method === made.method && type !== 'application/problem+json')
      faults.push(`type: ${status} is ${type}`)
    return faults
  }
  if (status === MOVED) return [...faults, ...movedFaults(url, got)]
  const documented = operation.responses[status]
  if (!documented)
    faults.push(`status: ${status} is not documented for ${operation.operationId} (${json?.type ?? type})`)
  else if (made.method !== 'HEAD') {
    const types = Object.keys(documented.content ?? {})
    if (types.length > 0 ? !types.includes(type) : text !== '')
      faults.push(`type: ${status} has ${type} ${text.slice(0, 60)}; ${types.join(' or ') || 'nothing'} is documented`)
    else if (json !== null)
      faults.push(
        ...undocumented(method, url, { status, headers, json })
          .map((fault) => `body: ${fault}`)
          .slice(0, 3),
      )
    for (const name of Object.keys((documented as { headers?: object }).headers ?? {}))
      if (status < 400 && !headers.has(name)) faults.push(`headers: ${name} is documented for ${status}`)
  }
  if (status >= 400 && json !== null && made.method !== 'HEAD') faults.push(...problemFaults(operation, made, got))
  if (status < 300 && typeof made.body === 'string') faults.push(...acceptedFaults(operation, made.body, made.headers))
  return faults
}

function problemFaults(
  operation: Parameters<typeof misplaced>[0],
  made: Made,
  { status, headers, json }: Got,
): string[] {
  const faults: string[] = []
  const isReplay = headers.has('idempotent-replayed')
  const row = errorTable[String(json.type).replace('/problems/', '') as keyof typeof errorTable]
  if (!row || row.status !== status || row.title !== json.title)
    faults.push(`problem: ${json.type} is not ${status} ${json.title}`)
  if (json.status !== status) faults.push(`problem: its status is ${json.status}`)
  if (!isReplay && json.request_id !== headers.get('x-request-id'))
    faults.push('problem: its request_id is another than the header')
  if (!json.detail) faults.push('problem: it has no detail')
  const wait = headers.get('retry-after')
  if (
    (json.retry_after_s !== undefined || wait !== null) &&
    Number(wait) !== Math.ceil(json.retry_after_s ?? Number.NaN)
  )
    faults.push(`problem: Retry-After ${wait} and retry_after_s ${json.retry_after_s}`)
  if (status === 401 && !headers.has('www-authenticate')) faults.push('headers: 401 without WWW-Authenticate')
  if (Array.isArray(json.errors)) {
    const asked = new Set(made.query.map(([name]) => name))
    const places = misplaced(operation, json.errors).filter(
      ([from, name]) => from !== 'query' || !asked.has(String(name)),
    )
    if (places.length > 0) faults.push(`problem: ${JSON.stringify(places[0])} leads to nothing of the request`)
    if (json.errors.length > 50) faults.push(`problem: ${json.errors.length} entries`)
  }
  return faults
}

/** What the document refuses is not accepted. Numbers that are none of the language are left to the tests of numbers. */
/** It takes any card and reports what breaks the schema. */
const reportsFaults = 'validateRobotCard'

function acceptedFaults(
  operation: Parameters<typeof isDocumentedBody>[0],
  body: string,
  headers: Made['headers'],
): string[] {
  if (
    !operation.requestBody ||
    operation.operationId === reportsFaults ||
    !headers['content-type']?.startsWith('application/json')
  )
    return []
  // No body at all.
  if (body === '' && !operation.requestBody.required) return []
  try {
    // A byte order mark may be ignored (RFC 8259, 8.1).
    const json = JSON.parse(body.replace(/^\ufeff/, ''))
    if (json === null && !operation.requestBody.required) return []
    return isDocumentedBody(operation, json) ? [] : ['accepted: a body that its schema refuses']
  } catch {
    return ['accepted: a body that is not JSON']
  }
}
