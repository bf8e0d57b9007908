/** The documented caps are those of the code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '@hub/mjcf/limits'
import { expect, it } from 'vitest'
import { PARSE_WALL_MS, READER_HEAP_MIB } from '../../packages/mjcf/src/processes/limits.ts'

const text = readFileSync(join(import.meta.dirname, '../../docs/models.md'), 'utf8')

it('docs/models.md has every cap of the reader, and no other', () => {
  const rows = [...text.matchAll(/^\| `(\w+)` \| ([\d,]+) \|/gm)]
  const told = Object.fromEntries(rows.map(([, name = '', most = '']) => [name, Number(most.replaceAll(',', ''))]))
  expect(told).toEqual(limits)
})

it('docs/models.md has the time and memory of a reading', () => {
  expect(text).toContain(`${PARSE_WALL_MS / 1_000} s of parsing and checking, or ${READER_HEAP_MIB} MiB of heap`)
})
