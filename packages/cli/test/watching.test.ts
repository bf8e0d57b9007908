/** `--watch`, with a clock that stands still and a terminal made of arrays. */
import { TransferError } from '@hub/client/internal'
import { describe, expect, it, vi } from 'vitest'
import { nextWait, watch } from '../src/watching.ts'
import { terminal } from './support/terminal.ts'

const pace = { least: 1, most: 4 }

/** Watches values one after the other; the last one stays. An error is thrown. */
function watched(values: readonly (number | Error)[], onRead: (count: number) => void = () => {}) {
  let count = 0
  const printed: string[] = []
  return {
    printed,
    read: async () => {
      const value = values[Math.min(count, values.length - 1)] ?? 0
      count += 1
      onRead(count)
      if (value instanceof Error) throw value
      return value
    },
    draw: (now: number) => `value ${now}\n`,
    printChange: (now: number, before: number | null) => void printed.push(`${before} ${now}`),
    isOver: (now: number) => now === 9,
  }
}

describe('watching', () => {
  it('draws each change in place of what was there, and leaves the last whole', async () => {
    const { io, written, raw } = terminal(true)
    expect(await watch(io, watched([1, 1, 2, 9]), pace)).toEqual({ last: 9 })
    expect(written.out.startsWith('\x1b[?25l\x1b[?7l\r\x1b[Jvalue 1\n\nq ends\n\x1b[3A\r\x1b[J')).toBe(true)
    expect(written.out.endsWith('\x1b[?25h\x1b[?7h\x1b[3A\r\x1b[Jvalue 9\n')).toBe(true)
    expect(raw).toEqual([true, false])
  })

  it('draws no more lines than there are, so that they stay in their place', async () => {
    const { io, written } = terminal(true)
    const many = { ...watched([9]), draw: () => 'a\nb\nc\nd\ne\nf\n' }
    await watch(io, many, pace)
    expect(written.out).toContain('\r\x1b[Ja\nb\nc\n… 3 more lines; q ends\n')
    expect(written.out.endsWith('\x1b[4A\r\x1b[Ja\nb\nc\nd\ne\nf\n')).toBe(true)
  })

  it.each([
    ['q', 0],
    ['\x03', 130],
  ])('ends at the key %j with %i', async (key, code) => {
    const { io, keys, written, raw } = terminal(true)
    const ended = await watch(
      io,
      watched([1], (count) => count === 3 && keys.emit('data', Buffer.from(key))),
      pace,
    )
    expect([ended, raw, keys.listenerCount('data')]).toEqual([code, [true, false], 0])
    expect(written.out.endsWith('\x1b[?25h\x1b[?7h\x1b[3A\r\x1b[Jvalue 1\n')).toBe(true)
  })

  it('leaves no timer behind that would keep the process', async () => {
    const { io, keys } = terminal(true)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const ended = watch(io, watched([1]), { least: 60_000, most: 60_000 })
      while (vi.getTimerCount() === 0) await Promise.resolve()
      keys.emit('data', 'q')
      expect([await ended, vi.getTimerCount()]).toEqual([0, 0])
    } finally {
      vi.useRealTimers()
    }
  })

  it('ends at a signal while it reads, whatever the reading then says', async () => {
    const { io, signals } = terminal(false)
    const aborted = watched([1, new Error('aborted')], (count) => count === 2 && signals[0]?.())
    expect(await watch(io, aborted, pace)).toBe(130)
  })

  it('prints changes alone, and no control character, where there is no terminal', async () => {
    const { io, written } = terminal(false)
    const what = watched([1, 1, 2, 2, 9])
    await watch(io, what, pace)
    expect([what.printed, written]).toEqual([['null 1', '1 2', '2 9'], { out: '', err: '' }])
  })

  it('asks again when the hub stops answering, says so once, and gives up at any other error', async () => {
    const { io, written } = terminal(false)
    const lost = new TransferError('no answer', 'http://hub')
    const what = watched([1, lost, lost, 9])
    expect(await watch(io, what, pace)).toEqual({ last: 9 })
    expect([what.printed, written.err]).toEqual([['null 1', '1 9'], 'hub: the hub does not answer; asking again\n'])
    await expect(watch(io, watched([1, new Error('gone')]), pace)).rejects.toThrow('gone')
    await expect(watch(io, watched([lost]), pace)).rejects.toBe(lost)
  })

  it('waits longer while nothing changes, up to a limit', () => {
    const waits = [2]
    for (const isChanged of [false, false, false, true])
      waits.push(nextWait(waits.at(-1) ?? 0, isChanged, { least: 2, most: 4 }))
    expect(waits).toEqual([2, 3, 4, 4, 2])
  })
})
