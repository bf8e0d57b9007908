import type { XmlElement } from './element.ts'

/**
 * The element and all its descendants, parents first. Not recursive and no spread of children: there can be a hundred
 * thousand of either.
 */
export function* inDocumentOrder(root: XmlElement): Generator<XmlElement> {
  const open = [root]
  for (let element = open.pop(); element; element = open.pop()) {
    yield element
    for (let at = element.children.length - 1; at >= 0; at -= 1) open.push(element.children[at] as XmlElement)
  }
}
