import { expect, test } from 'vitest'
import { readTask, TaskFault } from '../src/task-schema.ts'

const success = { condition: { joint: 'a', position: [0, 1] } }

test('a task says where it starts, how long it takes and what success is', () => {
  const task = { version: 1, name: 'reach', seconds: 5, success: { ...success, hold_s: 1, when: 'end' } }
  expect(readTask(task)).toEqual(task)
})

test.each([
  [{ version: 2 }, /version/],
  [{ seconds: 0 }, /seconds/],
  [{ seconds: 1e9 }, /seconds/],
  [{ success: { condition: { joint: 'a', position: [1, 0] } } }, /success\.condition/],
  [{ success: { condition: { code: 'process.exit()' } } }, /success\.condition/],
  [{ python: 'print()' }, /python/],
  [{ success: { condition: nested(40) } }, /deep/],
])('%j is refused by its place', (change, said) => {
  const read = () => readTask({ version: 1, name: 'reach', seconds: 5, success, ...change })
  expect(read).toThrow(TaskFault)
  expect(read).toThrow(said)
})

function nested(depth: number): unknown {
  return depth === 0 ? success.condition : { not: nested(depth - 1) }
}
