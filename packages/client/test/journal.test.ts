/** The journal of transfers: what is appended is kept, whatever else happens to its file. */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openJournal } from '../src/journal.ts'

let base: string
let file: string

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hub-journal-'))
  file = join(base, 'cache', 'one.jsonl')
})
afterEach(() => {
  rmSync(base, { recursive: true, force: true })
})

function opened() {
  const lines: string[] = []
  return { lines, journal: openJournal(file, (line) => lines.push(line)) }
}

function linesNow(): string[] {
  const { lines, journal } = opened()
  journal.close()
  return lines
}

/** So much that a compaction is worth it. */
function fill(): void {
  const { journal } = opened()
  for (let index = 0; index < 1100; index += 1) journal.append(`${index} `.padEnd(1000, '.'))
  journal.close()
}

const isLasting = true

describe('a journal', () => {
  it('has the lines of all who append at once, and none that a kill cut off', () => {
    const [one, two] = [opened().journal, opened().journal]
    one.append('1')
    two.append('2', { isLasting })
    one.append('3')
    for (const journal of [one, two]) journal.close()
    appendFileSync(file, '{"cut')
    const next = opened().journal
    next.append('4')
    next.close()
    expect(linesNow()).toEqual(['1', '2', '3', '{"cut', '4'])
  })

  it('keeps what another process appends before, during and after a compaction', () => {
    fill()
    const [other, mine] = [opened().journal, opened().journal]
    other.append('before')
    mine.compact(() => {
      other.append('during')
      return ['kept']
    })
    other.append('after')
    mine.append('mine')
    for (const journal of [other, mine]) journal.close()
    expect(linesNow()).toEqual(['kept', 'before', 'during', 'after', 'mine'])
  })

  it('is not compacted from lines that are older than the file', () => {
    fill()
    const [first, second, third] = [opened().journal, opened().journal, opened().journal]
    first.compact(() => {
      second.compact(() => ['of the second'])
      return ['of the first']
    })
    third.compact(() => ['of the third'])
    third.append('more')
    for (const journal of [first, second, third]) journal.close()
    expect(linesNow()).toEqual(['of the second', 'more'])
    expect(existsSync(`${file}.new`)).toBe(false)
  })

  it('is compacted after a compaction that was killed, an hour later', () => {
    fill()
    const before = linesNow()
    writeFileSync(`${file}.new`, 'half')
    const compacted = () => {
      const { journal } = opened()
      journal.compact(() => ['kept'])
      journal.close()
      return linesNow()
    }
    expect(compacted()).toEqual(before)
    for (const hours of [-2, 2]) {
      const then = Date.now() / 1000 + hours * 3600
      writeFileSync(`${file}.new`, 'half')
      utimesSync(`${file}.new`, then, then)
      expect(compacted()).toEqual(before)
      expect(existsSync(`${file}.new`)).toBe(false)
    }
    expect(compacted()).toEqual(['kept'])
  })

  it('stays as it is where little would go', () => {
    fill()
    const { journal, lines } = opened()
    journal.compact(() => lines.slice(0, 600))
    journal.close()
    expect(linesNow()).toEqual(lines)
  })

  it('goes on in a new file where its folder is deleted', () => {
    const { journal } = opened()
    journal.append('1')
    rmSync(join(base, 'cache'), { recursive: true })
    journal.append('2')
    journal.close()
    expect(readFileSync(file, 'utf8')).toBe('2\n')
  })

  it('is none where a file is in the way of its folder', () => {
    writeFileSync(join(base, 'cache'), '')
    const { journal, lines } = opened()
    journal.append('1', { isLasting })
    journal.compact(() => [])
    journal.close()
    journal.append('2')
    expect([lines, linesNow()]).toEqual([[], []])
  })

  it('is none where something else than a file is in its place', () => {
    file = '/dev/full'
    const { journal, lines } = opened()
    journal.append('1')
    journal.close()
    expect([lines, linesNow()]).toEqual([[], []])
  })
})
