/**
 * What the processes of one port tell and ask each other, through the process that started them. A hub of one process
 * has no peers, and then nothing here does anything.
 */
import { z } from 'zod'

/** What one process sends to all others; the supervisor passes it on as it is, and adds how many it went to. */
export const peerMessage = z.object({
  hub: z.enum(['tell', 'ask', 'answer', 'asked']),
  topic: z.string(),
  /** Of a question, and of what belongs to it. */
  id: z.string().optional(),
  data: z.unknown(),
})

export type PeerMessage = z.output<typeof peerMessage>

/** The way to the supervisor. */
export interface PeerChannel {
  send(message: PeerMessage): void
}

/** A process that is busy answers late, and one that dies never: a scrape has ten seconds. */
const ANSWER_MS = 2_000

interface Question {
  readonly answers: unknown[]
  expected: number
  readonly done: () => void
}

/** The others, seen from one process. */
export class Peers {
  readonly #told = new Map<string, (data: unknown) => void>()
  readonly #asked = new Map<string, (data: unknown) => Promise<unknown>>()
  readonly #questions = new Map<string, Question>()
  #channel: PeerChannel | null = null
  #next = 0

  /** Joins the processes at the other end. */
  join(channel: PeerChannel): void {
    this.#channel = channel
  }

  /** How many processes serve the port is not known here; whether there are others is. */
  get areThere(): boolean {
    return this.#channel !== null
  }

  /** Tells all others; a peer that is not there yet never learns of it. */
  tell(topic: string, data: unknown): void {
    this.#channel?.send({ hub: 'tell', topic, data })
  }

  /** Calls `handler` with what others tell. */
  whenTold(topic: string, handler: (data: unknown) => void): void {
    this.#told.set(topic, handler)
  }

  /** Answers what others ask; null is no answer. */
  whenAsked(topic: string, answer: (data: unknown) => Promise<unknown>): void {
    this.#asked.set(topic, answer)
  }

  /** The answers of all others that answer in time. */
  async ask(topic: string, data: unknown = null, withinMs = ANSWER_MS): Promise<unknown[]> {
    if (!this.#channel) return []
    const id = `${process.pid}.${this.#next++}`
    const answers: unknown[] = []
    let late: NodeJS.Timeout | undefined
    await new Promise<void>((done) => {
      late = setTimeout(done, withinMs)
      this.#questions.set(id, { answers, expected: Number.POSITIVE_INFINITY, done })
      this.#channel?.send({ hub: 'ask', topic, id, data })
    })
    clearTimeout(late)
    this.#questions.delete(id)
    return answers
  }

  /** Takes a message of the supervisor; what is none of its kind is left alone. */
  receive(given: unknown): void {
    const { data: message } = peerMessage.safeParse(given)
    if (!message) return
    const { hub, topic, id = '', data } = message
    if (hub === 'tell') this.#told.get(topic)?.(data)
    else if (hub === 'ask') void this.#answer(topic, id, data)
    else this.#hear(this.#questions.get(id), hub === 'asked' ? { expected: Number(data) } : { answer: data })
  }

  async #answer(topic: string, id: string, asked: unknown): Promise<void> {
    const data = await this.#asked
      .get(topic)?.(asked)
      .catch(() => null)
    this.#channel?.send({ hub: 'answer', topic, id, data: data ?? null })
  }

  #hear(question: Question | undefined, heard: { expected: number } | { answer: unknown }): void {
    if (!question) return
    if ('expected' in heard) question.expected = heard.expected
    else question.answers.push(heard.answer)
    if (question.answers.length >= question.expected) question.done()
  }
}

/** Those of this process. */
export const peers = new Peers()
