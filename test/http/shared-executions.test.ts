/** Subscribers of one event share its execution and its message, and nothing that names or limits one of them. */
import { expect, it } from 'vitest'
import { type EventResult, messageOf, SharedExecutions } from '../../src/http/shared-executions.ts'
import { sharedEvent } from '../../src/operation/shared-event.ts'

const FOLLOWERS = 300
const answered = (over: Partial<EventResult> = {}): EventResult => ({
  result: { data: { runLog: { cursor: '1.1-0' } } },
  objects: 1,
  bytes: 20,
  isLast: false,
  ...over,
})

/** `FOLLOWERS` answers to one event, and how often it was executed for them. */
async function answersTo(event: object, answer: () => EventResult, subscription = (_n: number) => 'one') {
  const executions = new SharedExecutions()
  let executed = 0
  const execute = async () => {
    executed += 1
    await undefined
    return answer()
  }
  const each = Array.from({ length: FOLLOWERS }, (_, n) => executions.answer(subscription(n), event, execute))
  const settled = await Promise.allSettled(each)
  return { executed, results: settled.map((one) => (one.status === 'fulfilled' ? one.value.result : null)) }
}

it('executes a shared event once a distinct subscription', async () => {
  const event = sharedEvent({ cursor: '1.1-0' })
  const { executed, results } = await answersTo(event, answered, (n) => String(n % 3))
  expect([executed, new Set(results).size]).toEqual([3, 3])
})

it('prints and encodes what subscribers share once', async () => {
  const { results } = await answersTo(sharedEvent({ cursor: '1.1-0' }), answered)
  let printed = 0
  const print = () => {
    printed += 1
    return 'event: next\n\n'
  }
  const messages = new Set(results.map((result) => messageOf(result ?? {}, print)))
  expect([printed, messages.size, String([...messages][0])]).toEqual([1, 1, 'event: next\n\n'])
})

it('executes an event of one subscriber for that one', async () => {
  const { executed } = await answersTo({ cursor: '1.1-0' }, answered)
  expect(executed).toBe(FOLLOWERS)
})

it.each([
  ['has errors, which name a request', () => answered({ result: { data: null, errors: [] } })],
  ['was ended by the limits of its caller', () => answered({ isLast: true })],
  [
    'failed',
    () => {
      throw new Error('gone')
    },
  ],
])('gives no other subscriber an answer that %s', async (_what, answer) => {
  const { executed, results } = await answersTo(sharedEvent({ cursor: '1.1-0' }), answer)
  expect(executed).toBe(FOLLOWERS)
  expect(new Set(results).size).toBe(results[0] ? FOLLOWERS : 1)
})

it('keeps no more than 16 MiB of answers', async () => {
  const executions = new SharedExecutions()
  const many = Array.from({ length: 8 }, () => sharedEvent({}))
  const executed: object[] = []
  const answerAll = async () => {
    for (const event of many)
      await executions.answer('one', event, async () => {
        executed.push(event)
        return answered({ bytes: 1024 * 1024 })
      })
  }
  await answerAll()
  await answerAll()
  expect(executed).toHaveLength(2 * many.length)
})
