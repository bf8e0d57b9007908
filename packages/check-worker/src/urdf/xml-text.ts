/**
 * XML elements as text again, on their source lines where possible: line numbers from MuJoCo and the reader stay valid.
 */
import type { XmlElement } from '@hub/mjcf/xml/element'

/** The document of a root element. */
export function xmlText(root: XmlElement): string {
  const parts: string[] = []
  let line = 1
  const write = (element: XmlElement) => {
    while (line < element.line) {
      parts.push('\n')
      line += 1
    }
    const attributes = [...element.attributes].map(([name, value]) => ` ${name}="${escaped(value)}"`).join('')
    line += attributes.split('\n').length - 1
    parts.push(`<${element.name}${attributes}>`)
    for (const child of element.children) write(child)
    parts.push(`</${element.name}>`)
  }
  write(root)
  return parts.join('')
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' }

const escaped = (value: string) => value.replaceAll(/[&<"]/g, (character) => entities[character] ?? character)
