/** Code in colours. What is long stays plain: to colour it would hold the page. A chunk of its own. */
import './code.css'
import { toJsxRuntime } from 'hast-util-to-jsx-runtime'
import bash from 'highlight.js/lib/languages/bash'
import cpp from 'highlight.js/lib/languages/cpp'
import diff from 'highlight.js/lib/languages/diff'
import ini from 'highlight.js/lib/languages/ini'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'
import { useMemo } from 'react'
import { Fragment, jsx, jsxs } from 'react/jsx-runtime'

const lowlight = createLowlight({ bash, cpp, diff, ini, javascript, json, python, rust, typescript, xml, yaml })
/** About 50 ms of this machine, and 30,000 elements. */
const MOST_CHARACTERS = 100_000

interface Props {
  readonly text: string
  /** Of `codeLanguage`. */
  readonly language: string | null
}

export default function Code({ text, language }: Props) {
  const coloured = useMemo(() => {
    if (language === null || text.length > MOST_CHARACTERS) return text
    return toJsxRuntime(lowlight.highlight(language, text), { Fragment, jsx, jsxs })
  }, [text, language])
  return <code>{coloured}</code>
}
