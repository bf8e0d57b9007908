/** Draws one diagram, away from the page: a text may keep the layout busy for longer than anyone waits. */
import { renderMermaidSVG } from 'beautiful-mermaid'
import type { DiagramAnswer, DiagramRequest } from './draw-diagram.ts'

// ELK, which lays diagrams out, takes a worker for one of its own: it sees a page here. What calls it puts `self` back,
// which a worker lets no one set.
Object.defineProperty(globalThis, 'self', { value: globalThis, writable: true, configurable: true })
Object.defineProperty(globalThis, 'document', { value: {} })

const say = (answer: DiagramAnswer) => postMessage(answer)

addEventListener('message', ({ data: { text, colors } }: MessageEvent<DiagramRequest>) => {
  try {
    const svg = renderMermaidSVG(text, { ...colors, transparent: true })
    // It names a font of another site, which a picture does not load, but a saved copy would.
    say({ svg: svg.replace(/@import url\([^)]*\);/g, '') })
  } catch (error) {
    say({ fault: error instanceof Error ? error.message : String(error) })
  }
})
