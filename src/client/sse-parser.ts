/** Server-Sent Events out of bytes, as the HTML standard reads them. Pure. */

export interface ServerEvent {
  readonly event: string
  readonly data: string
  /** The last id that the stream gave, with this event or before it. */
  readonly id: string
}

/** An event longer than this is no event of ours: a chunk of a log has 256 KiB. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024

/** Reads a stream piece by piece, cut anywhere: also between the bytes of a character. `retryMs` is what the stream last asked for. */
export function sseParser() {
  const decoder = new TextDecoder()
  let rest = ''
  let event = ''
  let data: string[] = []
  let id = ''
  let size = 0
  const parser = {
    retryMs: null as number | null,
    /** The events that these bytes complete. */
    push(bytes: Uint8Array): ServerEvent[] {
      const found: ServerEvent[] = []
      rest += decoder.decode(bytes, { stream: true })
      if (rest.length + size > MAX_EVENT_CHARS) throw new Error('The stream holds an event that is too long.')
      // A carriage return at the end may be the first half of one line end.
      const end = rest.endsWith('\r') ? rest.length - 1 : rest.length
      let from = 0
      for (const { index, 0: ending } of rest.slice(0, end).matchAll(/\r\n|\n|\r/g)) {
        take(rest.slice(from, index), found)
        from = index + ending.length
      }
      rest = rest.slice(from)
      return found
    },
  }

  function take(line: string, found: ServerEvent[]): void {
    if (line === '') {
      if (data.length > 0) found.push({ event: event || 'message', data: data.join('\n'), id })
      event = ''
      data = []
      size = 0
      return
    }
    const colon = line.indexOf(':')
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'event') event = value
    else if (field === 'data') {
      data.push(value)
      size += value.length
    } else if (field === 'id' && !value.includes('\0')) id = value
    else if (field === 'retry' && /^\d+$/.test(value)) parser.retryMs = Number(value)
  }

  return parser
}
