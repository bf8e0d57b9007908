/** Sends a request as it is, byte for byte, and reads what comes back. */
import { Agent, type OutgoingHttpHeaders, request } from 'node:http'

/** A request whose parts can be left out one by one. */
export interface Made {
  readonly operation: string
  readonly caller: string
  readonly method: string
  readonly path: string
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | null
}

export interface Got {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Parsed, where it says that it is JSON. */
  readonly json: ReturnType<typeof JSON.parse>
  /** The bytes are not UTF-8, or no JSON though they say so. */
  readonly fault: string | null
  readonly ended: boolean
  readonly ms: number
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })
/** A stream is read so long, as its follower would. */
const STREAM_MS = 120
/** A body that is longer than what the buffers of a connection take. */
const CUT_BYTES = 64 * 1024
/** Nothing takes longer, on a busy machine either; a claim that waits for work waits 30 s at most. */
const DEADLINE_MS = 90_000

export const urlOf = ({ path, query }: Pick<Made, 'path' | 'query'>): string =>
  path + (query.length === 0 ? '' : `?${query.map(([name, value]) => `${name}=${value}`).join('&')}`)

export function send(base: string, made: Made): Promise<Got> {
  const { hostname, port } = new URL(base)
  const started = performance.now()
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined
    const headers: OutgoingHttpHeaders = { host: `${hostname}:${port}`, ...made.headers }
    if (made.body !== null) headers['content-length'] = Buffer.byteLength(made.body)
    const asked = request({ hostname, port, method: made.method, path: urlOf(made), headers, agent }, (answer) => {
      const pieces: Buffer[] = []
      const isStream = answer.headers['content-type']?.startsWith('text/event-stream') ?? false
      let done = false
      const finish = (ended: boolean) => {
        if (done) return
        done = true
        clearTimeout(timer)
        resolve(
          gotOf(answer.statusCode ?? 0, answer.rawHeaders, Buffer.concat(pieces), ended, performance.now() - started),
        )
        if (!ended) asked.destroy()
      }
      timer = setTimeout(() => finish(false), isStream ? STREAM_MS : DEADLINE_MS)
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('end', () => finish(true))
      answer.on('error', () => finish(false))
    })
    asked.setTimeout(DEADLINE_MS, () => asked.destroy(new Error(`No answer within ${DEADLINE_MS} ms.`)))
    asked.on('error', (error: Error & { readonly code?: string }) => {
      clearTimeout(timer)
      const fault = `connection: ${error.message}`
      // An answer to a body that the hub does not take may be lost with the connection, which ends while the client still sends.
      const isCut = Buffer.byteLength(made.body ?? '') > CUT_BYTES && /ECONNRESET|EPIPE/.test(error.code ?? '')
      const got = {
        status: 0,
        headers: new Headers(),
        text: '',
        json: null,
        ended: true,
        ms: performance.now() - started,
      }
      resolve({ ...got, fault: isCut ? null : fault })
    })
    asked.end(made.body ?? undefined)
  })
}

function gotOf(status: number, raw: readonly string[], bytes: Buffer, ended: boolean, ms: number): Got {
  const headers = new Headers()
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at] ?? '', raw[at + 1] ?? '')
  let text = ''
  let fault: string | null = null
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    text = bytes.toString('latin1')
    // An archive is not text.
    if (ended && headers.get('content-type') !== 'application/zip') fault = 'encoding: the body is not UTF-8'
  }
  let json = null
  if (/json/.test(headers.get('content-type') ?? '') && text !== '')
    try {
      json = JSON.parse(text)
    } catch {
      fault = 'encoding: the body is not JSON'
    }
  return { status, headers, text, json, fault, ended, ms }
}

/** The request for a person to repeat. */
export function asCurl(base: string, made: Made): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const headers = Object.entries(made.headers).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`)
  const body =
    made.body === null
      ? ''
      : typeof made.body === 'string'
        ? ` --data-binary ${quoted(made.body.length > 4000 ? `${made.body.slice(0, 4000)}… (${made.body.length} characters)` : made.body)}`
        : ` --data-binary @<(echo ${made.body.toString('base64').slice(0, 2000)} | base64 -d)`
  return `curl -i -X ${made.method}${headers.join('')}${body} ${quoted(base + urlOf(made))}`
}
