/** Formulas in Markdown (`$$…$$`, in a line or apart) as MathML, which browsers draw: no font and no style is loaded for them. */
import { useEffect, useState } from 'react'
import type { Options } from 'react-markdown'

interface MathPlugins {
  readonly remark: NonNullable<Options['remarkPlugins']>
  readonly rehype: NonNullable<Options['rehypePlugins']>
}

const none: MathPlugins = { remark: [], rehype: [] }

/** The plugins for a text; none until they are loaded, and for a text without a formula. */
export function useMath(text: string): MathPlugins {
  const [plugins, setPlugins] = useState(none)
  const hasMath = text.includes('$$')
  useEffect(() => {
    if (!hasMath) return
    Promise.all([import('remark-math'), import('rehype-katex')]).then(
      ([math, katex]) =>
        setPlugins({
          // `$5 to $10` are prices.
          remark: [[math.default, { singleDollarTextMath: false }]],
          rehype: [[katex.default, { output: 'mathml', maxExpand: 100, maxSize: 50, trust: false }]],
        }),
      () => {},
    )
  }, [hasMath])
  return hasMath ? plugins : none
}
