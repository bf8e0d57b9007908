/** Requests of pages to the routes below `/auth/`, which set the cookie of a session and tell no token. */
import type { Problem } from '../../ui/problem.ts'

interface Refused {
  readonly problem: Problem
}

const unreachable: Problem = {
  type: 'unreachable',
  title: 'The hub cannot be reached',
  detail: 'Check your connection and try again.',
}

/** Sends JSON; what the hub answers, or why it refused. `isAnswer` says whether an answer has the expected members. */
export async function postAuth<Answer>(
  path: `/auth/${string}`,
  body: Readonly<Record<string, unknown>>,
  isAnswer: (value: unknown) => value is Answer,
): Promise<{ readonly answer: Answer } | Refused> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    const value: unknown = text === '' ? null : JSON.parse(text)
    if (response.ok && isAnswer(value)) return { answer: value }
    return { problem: isProblem(value) ? value : unreachable }
  } catch {
    return { problem: unreachable }
  }
}

/** Of a route that answers 204. */
export const isEmpty = (value: unknown): value is null => value === null

/** What the hub asks a device with a passkey. */
interface Started {
  readonly ceremony: string
  readonly options: unknown
}

export const isStarted = (value: unknown): value is Started =>
  typeof value === 'object' && value !== null && 'ceremony' in value && 'options' in value

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'title' in value && 'detail' in value && 'type' in value
