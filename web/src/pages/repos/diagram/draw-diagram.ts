/**
 * A Mermaid diagram as the address of a picture. The picture is what makes it safe: in an image no script of an SVG
 * runs and nothing of another site is loaded, and the styles in it are not of the page. As `data:` it has no origin
 * either where someone opens it by itself.
 */

export interface DiagramRequest {
  readonly text: string
  readonly colors: { readonly bg: string; readonly fg: string }
}

export type DiagramAnswer = { readonly svg: string } | { readonly fault: string }

const diagramLimits = {
  /** Longer texts are shown as they are. */
  characters: 20_000,
  /** By the clock, with the loading of what draws. */
  timeMs: 20_000,
  svgCharacters: 2_000_000,
}

/** One at a time: a page may have many. */
let turn: Promise<unknown> = Promise.resolve()

/** Rejects with why it is not drawn, in words for a person, or with the signal's reason. */
export function drawDiagram(request: DiagramRequest, signal: AbortSignal): Promise<string> {
  const drawn = turn.then(() => drawNow(request, signal))
  turn = drawn.catch(() => {})
  return drawn
}

async function drawNow(request: DiagramRequest, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  if (request.text.length > diagramLimits.characters) throw new Error('It is too long to be drawn.')
  const worker = new Worker(new URL('./diagram-worker.ts', import.meta.url), { type: 'module', name: 'diagram' })
  const ended = AbortSignal.any([signal, AbortSignal.timeout(diagramLimits.timeMs)])
  try {
    const answer = await new Promise<DiagramAnswer>((resolve, reject) => {
      const stop = () => reject(signal.aborted ? signal.reason : new Error('It takes too long to draw.'))
      ended.addEventListener('abort', stop, { once: true })
      worker.addEventListener('error', () => reject(new Error('This browser cannot draw it.')))
      worker.addEventListener('message', ({ data }: MessageEvent<DiagramAnswer>) => resolve(data))
      worker.postMessage(request)
    })
    if ('fault' in answer) throw new Error(answer.fault)
    if (answer.svg.length > diagramLimits.svgCharacters) throw new Error('It is too large to be shown.')
    return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(answer.svg)}`
  } finally {
    worker.terminate()
  }
}
