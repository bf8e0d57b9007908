/** `hub model --stdin`: one model per input line, one report per line, in order. */
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { type ModelReport, unreadableReport } from '@hub/mjcf/folder/check-model'
import { z } from 'zod'

const line = z.object({ dir: z.string().min(1), entry: z.string().min(1) })

/** Concurrent models: two are being read while the files of the next ones are located. */
const CONCURRENCY = 4

/**
 * Yields each report as soon as the earlier ones are out, so a caller may wait for it before writing the next line.
 * Empty lines are skipped; an invalid line yields a report with a failed check.
 */
export function answerLines(
  input: NodeJS.ReadableStream,
  answer: (given: z.output<typeof line>) => Promise<ModelReport>,
): AsyncIterable<ModelReport> {
  const answerOne = async ({ text, number }: Line): Promise<ModelReport> => {
    const given = parsed(text)
    if (!given) return unreadableReport(`Line ${number} is not {"dir": …, "entry": …}: ${text.slice(0, 80)}`)
    return answer(given)
  }
  return Readable.from(linesOf(input)).map(answerOne, { concurrency: CONCURRENCY })
}

interface Line {
  readonly text: string
  /** 1-based. */
  readonly number: number
}

async function* linesOf(input: NodeJS.ReadableStream): AsyncGenerator<Line> {
  let number = 0
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1
    if (text.trim() !== '') yield { text, number }
  }
}

function parsed(text: string): z.output<typeof line> | null {
  try {
    return line.parse(JSON.parse(text))
  } catch {
    return null
  }
}
