/** Follows one run over a stream that it resumes whenever it ends too early, and says what it saw twice, too late or not at all. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from './client.ts'
import type { RunJournal } from './runs.ts'
import { readStream, type StreamEvent } from './stream.ts'

export type FollowerKind = 'sse' | 'runLog' | 'runMetrics'

export interface Followed {
  readonly kind: FollowerKind
  readonly journal: RunJournal
  lines: number
  metrics: number
  readonly skipped: string[]
  readonly repeated: string[]
  resumed: number
  hasEnded: boolean
}

const RETRY_MS = 300

export async function follow(client: Client, kind: FollowerKind, journal: RunJournal): Promise<Followed> {
  const followed: Followed = {
    kind,
    journal,
    lines: 0,
    metrics: 0,
    skipped: [],
    repeated: [],
    resumed: -1,
    hasEnded: false,
  }
  let place: string | null = null
  while (!followed.hasEnded && !client.around.givenUp.aborted) {
    followed.resumed += 1
    await readRun(client, kind, journal.id, place, (event) => {
      place = take(followed, event) ?? place
    })
    if (!followed.hasEnded) await delay(RETRY_MS)
  }
  if (!followed.hasEnded) client.around.tally().unexplained(`the stream ${kind} of ${journal.id} did not end`)
  return followed
}

/** The stream of a run from `place` on, with every event that comes until it ends or breaks. */
function readRun(
  client: Client,
  kind: FollowerKind,
  runId: string,
  place: string | null,
  onEvent: (event: StreamEvent) => void,
): Promise<void> {
  if (kind === 'sse') {
    const headers: Record<string, string> = place === null ? {} : { 'last-event-id': place }
    return readStream(client, { path: `/v1/runs/${runId}/logs?follow=true`, headers }, onEvent)
  }
  const after = place === null ? '' : `, after: ${JSON.stringify(place)}`
  const members = kind === 'runLog' ? 'events { line } cursor status' : 'events cursor status'
  const query = `subscription { ${kind}(runId: "${runId}"${after}) { ${members} } }`
  return readStream(client, { path: '/graphql/stream', query }, onEvent)
}

/** Where to resume after the event. */
function take(followed: Followed, { event, id, data }: StreamEvent): string | null {
  if (followed.kind === 'sse') {
    if (event === 'log') line(followed, data.line)
    else if (event === 'metric') metric(followed, data)
    else if (event === 'end') followed.hasEnded = true
    else if (event === 'error') return null
    return id === '' ? null : id
  }
  const batch = data.data?.runLog ?? data.data?.runMetrics
  if (!batch) return null
  for (const one of batch.events) followed.kind === 'runLog' ? line(followed, one.line) : metric(followed, one)
  if (batch.status !== null) followed.hasEnded = true
  return batch.cursor
}

function line(followed: Followed, text: string): void {
  if (text === 'the end') return
  const [number, mark] = text.split(' ')
  if (mark !== followed.journal.mark) return
  next(followed, 'line', Number(number), followed.lines)
  followed.lines = Number(number) + 1
}

function metric(followed: Followed, { step }: { step: number }): void {
  next(followed, 'metric', step, followed.metrics)
  followed.metrics = step + 1
}

function next({ skipped, repeated }: Followed, what: string, number: number, wanted: number): void {
  if (number > wanted) skipped.push(`${what} ${number} came where ${wanted} was next`)
  if (number < wanted) repeated.push(`${what} ${number} came where ${wanted} was next`)
}
