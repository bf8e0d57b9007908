/** A short video of a canvas, as the browser's own recorder makes it. */

/** A longer episode is recorded to there: a README plays a short one. */
export const MOST_FILM_S = 60

/** In the order of preference; a browser has one of them. */
const forms = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm', 'video/mp4'] as const

/** Bits a second: a robot before a plain ground is sharp at this. */
const BITS = 4_000_000

/** An encoder on a busy machine begins seconds late; one that has handed over nothing for so long has nothing. */
const MOST_BEHIND_MS = 30_000
/** What is drawn last is behind as what was drawn first, up to this. */
const MOST_LEFT_MS = 5000

export interface Film {
  readonly blob: Blob
  /** `webm` or `mp4`. */
  readonly ending: string
}

/**
 * Records what `canvas` shows while `play` goes on. Rejects in words where the browser has no recorder, or has coded no
 * picture.
 */
export async function filmOf(canvas: HTMLCanvasElement, play: () => Promise<void>): Promise<Film> {
  const form = 'MediaRecorder' in globalThis && forms.find((one) => MediaRecorder.isTypeSupported(one))
  if (!form) throw new Error('This browser cannot record video: use Chromium, Firefox or Safari.')
  const stream = canvas.captureStream()
  const recorder = new MediaRecorder(stream, { mimeType: form, videoBitsPerSecond: BITS })
  const parts: Blob[] = []
  recorder.addEventListener('dataavailable', ({ data }) => parts.push(data))
  const ended = new Promise<void>((resolve, reject) => {
    recorder.addEventListener('stop', () => resolve())
    recorder.addEventListener('error', () => reject(new Error('The browser stopped recording.')))
  })
  const began = performance.now()
  const first = new Promise<number>((resolve) => {
    recorder.addEventListener('start', () => resolve(performance.now() - began))
  })
  recorder.start()
  try {
    await play()
    // Chromium has started once its first picture is coded, and drops what is not coded yet when it is stopped.
    const behind = await Promise.race([first, ended, later(MOST_BEHIND_MS)])
    if (!behind) throw new Error('The browser recorded no picture: this machine is too busy. Try again later.')
    await later(Math.min(behind, MOST_LEFT_MS))
  } finally {
    if (recorder.state !== 'inactive') recorder.stop()
  }
  await ended
  for (const track of stream.getTracks()) track.stop()
  return { blob: new Blob(parts, { type: form }), ending: form.includes('mp4') ? 'mp4' : 'webm' }
}

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
