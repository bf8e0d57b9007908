/** A diagram of a text in Mermaid's language, with its text below; the text alone where none can be drawn. A chunk. */
import { useEffect, useState } from 'react'
import { useShownTheme } from '../../../app/use-theme.ts'
import { drawDiagram } from './draw-diagram.ts'

/** Those of the pages: a picture knows nothing of their style sheet. */
const colors = { light: { bg: '#ffffff', fg: '#16191f' }, dark: { bg: '#171b21', fg: '#e7eaf0' } }

type Drawn = { readonly url: string } | { readonly fault: string }

export default function Diagram({ text }: { readonly text: string }) {
  const theme = useShownTheme()
  const [drawn, setDrawn] = useState<Drawn | null>(null)
  useEffect(() => {
    const leaving = new AbortController()
    drawDiagram({ text, colors: colors[theme] }, leaving.signal).then(
      (url) => setDrawn({ url }),
      (error: Error) => {
        if (!leaving.signal.aborted) setDrawn({ fault: error.message })
      },
    )
    return () => leaving.abort()
  }, [text, theme])
  const source = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  )
  if (drawn === null) return source
  if ('fault' in drawn)
    return (
      <>
        {source}
        <p className="dim small">This diagram is not drawn: {drawn.fault}</p>
      </>
    )
  return (
    <figure className="diagram">
      <img src={drawn.url} alt="Diagram; its text follows" />
      <details>
        <summary>Text of the diagram</summary>
        {source}
      </details>
    </figure>
  )
}
