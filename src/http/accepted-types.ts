/** In which media types a GraphQL operation is answered, and what a request accepts. */
import { HubError } from '../platform/errors.ts'

const answers = [
  'application/json',
  'application/graphql-response+json',
  'text/event-stream',
  'multipart/mixed',
] as const
const EVENTS = 'text/event-stream'

/** Throws 406 for a request that takes no answer at all, before anything is executed. */
export function assertTakesAnswer(accept: string): void {
  if (!answers.some((type) => takes(accept, type))) throw notServed(answers.join(', '))
}

/** Throws 406 for a subscription of a request that does not take events, before it starts. */
export function assertTakesEvents(accept: string): void {
  if (!takes(accept, EVENTS)) throw eventsOnly()
}

/** 406: the operation is a subscription. */
export const eventsOnly = (): HubError => notServed(EVENTS)

function notServed(served: string): HubError {
  const detail = `Accept names no media type of the answer: ${served}.`
  return new HubError('accept.not_served', detail, { headers: { accept: served } })
}

/** Parameters, `q` among them, make no difference. */
function takes(accept: string, type: string): boolean {
  const [kind] = type.split('/')
  return accept
    .split(',')
    .map((range) => (range.split(';')[0] ?? '').trim().toLowerCase())
    .some((range) => range === type || range === '*/*' || range === '*' || range === `${kind}/*`)
}

/** Of one result, the one named later wins where both are accepted. */
const ofResults = ['application/graphql-response+json', 'application/json'] as const

/**
 * In which of its two types Yoga sends a single result to a request that accepts this: its own rules, which know no
 * `q`, and let the range that is named first win. Null where it takes neither.
 */
export function answerType(accept: string): (typeof ofResults)[number] | null {
  let chosen: (typeof ofResults)[number] | null = null
  for (const range of accept.replace(/\s/g, '').toLowerCase().split(',').reverse()) {
    const [asked = '', ...params] = range.split(';')
    const charset = params.find((param) => param.includes('charset='))
    if (charset !== undefined && charset !== 'charset=utf-8') continue
    const [kind, form] = asked.split('/')
    for (const type of ofResults)
      if ((kind === '*' || kind === 'application') && (form === '*' || type === `application/${form}`)) chosen = type
  }
  return chosen
}
