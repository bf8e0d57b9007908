/**
 * Decodes pictures of videos in the Chromium that draws stills: in its process group, with its limits, and with no way
 * to a network. Bytes of strangers reach no other decoder. One browser takes many pictures; one that dies or is late is
 * replaced, a few times.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { decodeRuns, type RunsToDecode } from '@hub/dataset/decode-runs'
import type { CodedPictures, Decoded, PictureDecoder } from '@hub/dataset/pictures'
import type { Browser, Page } from 'playwright-core'
import { type ChromiumProcess, startChromium } from '../stills/chromium-process.ts'
import type { Chromium } from '../stills/find-chromium.ts'

/** What decoding the videos of one data set may take of the machine. */
interface DecodeLimits {
  /** By the clock, of one part of a video: three pictures. */
  readonly partMs: number
  /** By the clock, of all of a data set. */
  readonly allMs: number
  /** Of one browser: processor time in s, memory in MiB. */
  readonly timeS: number
  readonly memoryMiB: number
  /** Parts that one browser takes: the processor time of hundreds is within its limit. */
  readonly partsOfBrowser: number
  /** Browsers that may die or be late. */
  readonly failures: number
}

const decodeLimits: DecodeLimits = {
  ...{ partMs: 60_000, allMs: 20 * 60_000, timeS: 300, memoryMiB: 2048, partsOfBrowser: 300, failures: 3 },
}

/** A decoder that has an end. */
interface WorkerDecoder extends PictureDecoder {
  end(): Promise<void>
}

/** Nothing starts before a picture comes. Without a browser all is skipped. Rejects with the reason of `signal` alone. */
export function pictureDecoder(chromium: Chromium, signal: AbortSignal, limits = decodeLimits): WorkerDecoder {
  let running: { readonly process: Promise<ChromiumProcess>; readonly page: Promise<Page>; parts: number } | null = null
  // One that is late may start still: it is ended then.
  const ending: Promise<void>[] = []
  let failures = 0
  let why = ''
  let leftMs = limits.allMs

  if ('missing' in chromium) {
    const skipped: Decoded = { is: 'skipped', why: chromium.missing }
    return { decode: () => Promise.resolve(skipped), end: () => Promise.resolve() }
  }
  const { program } = chromium
  const close = () => {
    if (running)
      ending.push(
        running.process.then(
          (process) => process.end(),
          () => undefined,
        ),
      )
    running = null
  }
  const pageOf = (): Promise<Page> => {
    if (running && running.parts >= limits.partsOfBrowser) close()
    if (!running) {
      const process = startChromium(program, limits)
      running = { process, page: process.then(({ browser }) => openPage(browser)), parts: 0 }
    }
    running.parts += 1
    return running.page
  }
  /** A browser that died, or is late, says nothing of the video: another machine's may decode it. */
  const failed = (error: unknown): Decoded => {
    close()
    signal.throwIfAborted()
    failures += 1
    why = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
    return { is: 'skipped', why: `Chromium did not answer: ${why}` }
  }
  return {
    async end() {
      close()
      await Promise.all(ending)
    },
    async decode(pictures) {
      signal.throwIfAborted()
      if (failures >= limits.failures) return { is: 'skipped', why: `Chromium failed ${failures} times: ${why}` }
      if (leftMs <= 0)
        return { is: 'skipped', why: `the time for a data set (${limits.allMs / 60_000} minutes) is over` }
      const began = performance.now()
      const late = new AbortController()
      try {
        const answer = (async () => (await pageOf()).evaluate(decodeRuns, inJson(pictures)))()
        // It may be refused after the race.
        answer.catch(() => undefined)
        const stopped = delay(limits.partMs, undefined, { signal: AbortSignal.any([signal, late.signal]) }).then(() => {
          throw new Error(`it took longer than ${limits.partMs / 1000} s.`)
        })
        stopped.catch(() => undefined)
        return await Promise.race([answer, stopped])
      } catch (error) {
        return failed(error)
      } finally {
        late.abort()
        leftMs -= performance.now() - began
      }
    },
  }
}

/** WebCodecs is for pages of an address that is safe; nothing is ever asked at this one. */
const ORIGIN = 'https://pictures.invalid'

async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage()
  const headers = { 'content-security-policy': "default-src 'none'" }
  await page.route('**/*', (route) =>
    new URL(route.request().url()).href === `${ORIGIN}/`
      ? route.fulfill({ contentType: 'text/html', body: '<!doctype html>', headers })
      : route.abort(),
  )
  await page.goto(`${ORIGIN}/`, { timeout: 0 })
  return page
}

const inJson = ({ codec, description, width, height, runs }: CodedPictures): RunsToDecode => ({
  ...{ codec, width, height },
  description: description && base64(description),
  runs: runs.map(({ frame, wanted, chunks }) => ({
    ...{ frame, wanted },
    chunks: chunks.map(({ isKey, timestamp, bytes }) => ({ isKey, timestamp, bytes: base64(bytes) })),
  })),
})

const base64 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
