/** Events of a job's log as Server-Sent Events. Spec, streamRunLogs; contract, "Logs and streams". */
import type { FollowedBatch } from '../work/log/log-batch.ts'
import { positionText } from '../work/log/position.ts'

export const sseHeaders = { 'content-type': 'text/event-stream; charset=utf-8' }

/** Rendered batches, shared by all their readers. */
const rendered = new WeakMap<FollowedBatch, Buffer>()

/** The events of a batch; each id is the position after the event. */
export function eventsOf(batch: FollowedBatch): Buffer {
  const known = rendered.get(batch)
  if (known) return known
  const made = ownBytes(textOf(batch))
  rendered.set(batch, made)
  return made
}

function textOf(batch: FollowedBatch): string {
  if (batch.kind === 'end') return event('end', positionText(batch.after), JSON.stringify({ status: batch.status }))
  if (batch.kind === 'metric') {
    const { before, rows } = batch
    return rows.map(({ seq, line }) => event('metric', positionText({ ...before, metric: seq }), line)).join('')
  }
  const { at, stream, lines, from, after } = batch
  // Lines of a chunk differ only in the line itself; the rest is serialized once.
  const head = `data: {"ts":${JSON.stringify(at)},"stream":${JSON.stringify(stream)},"line":`
  return lines
    .map((line, index) => {
      const id = positionText({ ...after, line: from + index + 1 })
      return `event: log\nid: ${id}\n${head}${JSON.stringify(line)}}\n\n`
    })
    .join('')
}

/** `data` is JSON without newlines. */
const event = (name: string, id: string, data: string) => `event: ${name}\nid: ${id}\ndata: ${data}\n\n`

/**
 * UTF-8 of a text that is kept. Node cuts the small buffers of `Buffer.from` out of slabs of 64 KiB, and one of them
 * that is kept keeps its whole slab.
 */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
