/** What an error of the Kubernetes API means for a call. */
import { SpawnLater, SpawnRefused } from '../backend.ts'

/** The API server answered with an error status. */
export class ApiFault extends Error {
  readonly status: number
  /** Of its `Retry-After` header. */
  readonly afterSeconds: number | null
  constructor(status: number, message: string, afterSeconds: number | null) {
    super(message)
    this.status = status
    this.afterSeconds = afterSeconds
  }
}

/** No answer, or none that can be understood: the request may have had its effect. */
export class NoAnswer extends Error {}

/**
 * Errors of the client library, by what they are made of: it exports one class for all statuses and none for the rest.
 */
export function faultOf(error: unknown): ApiFault | NoAnswer {
  if (error instanceof ApiFault || error instanceof NoAnswer) return error
  const { code, body, headers } = Object(error) as { code?: unknown; body?: unknown; headers?: Record<string, string> }
  if (typeof code === 'number' && headers !== undefined) {
    const afterSeconds = Number.parseInt(headers['retry-after'] ?? '', 10)
    return new ApiFault(code, `the API server answered ${code}${reasonIn(body)}`, afterSeconds || null)
  }
  const { name, message, cause } = Object(error) as Partial<Error>
  if (name === 'TimeoutError' || name === 'AbortError') return new NoAnswer('the API server did not answer in time')
  const { code: socket, message: why } = Object(cause) as { code?: unknown; message?: unknown }
  if (cause !== undefined) return new NoAnswer(`the API server cannot be reached (${socket ?? why})`)
  return new NoAnswer(`the answer of the API server was not understood (${message?.slice(0, 200)})`)
}

/** The message of a `Status` object. */
function reasonIn(body: unknown): string {
  const { message } = Object(typeof body === 'string' ? parsed(body) : body) as { message?: unknown }
  return typeof message === 'string' && message !== '' ? `: ${message.slice(0, 500)}` : ''
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * A later try may succeed: overload, faults of the server, a token that is being renewed, and a full quota, which is a
 * 403 that says so.
 */
const isPassing = ({ status, message }: ApiFault) =>
  [401, 408, 429].includes(status) || status >= 500 || (status === 403 && message.includes('exceeded quota'))

/** The error of a spawn. */
export function spawnError(fault: ApiFault | NoAnswer): SpawnLater | SpawnRefused {
  if (fault instanceof NoAnswer) return new SpawnLater(`${fault.message}.`)
  return isPassing(fault)
    ? new SpawnLater(`${fault.message}.`, fault.afterSeconds)
    : new SpawnRefused(`${fault.message}.`)
}
